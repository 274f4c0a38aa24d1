-- What policy.yaml says of groups: whom it names, known also before they have an account, and who is a member because of that. A
-- member from the project leaves when the file no longer names them; one from the console stays until an admin says otherwise.
ALTER TABLE "groups" ADD COLUMN "project_members" TEXT[] DEFAULT ARRAY[]::TEXT[];
ALTER TABLE "group_members" ADD COLUMN "from_project" BOOLEAN NOT NULL DEFAULT false;
