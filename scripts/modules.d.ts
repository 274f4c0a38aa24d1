// The scripts are plain JavaScript because they run before anything is installed; their tests see them untyped.
declare module "*.mjs";
