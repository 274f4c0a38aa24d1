console.log("postinstall placeholder");
