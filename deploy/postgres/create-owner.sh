#!/bin/sh
# Run once by the image of Postgres, while it makes an empty database: a role that owns Kimitsu's database and is no superuser, so that
# what a migration takes from it, such as changing the trail, it cannot take back.
set -eu
psql --set=ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname postgres <<'SQL'
\getenv password DATABASE_PASSWORD
CREATE ROLE kimitsu LOGIN NOSUPERUSER NOCREATEROLE NOCREATEDB PASSWORD :'password';
CREATE DATABASE kimitsu OWNER kimitsu;
REVOKE ALL ON DATABASE kimitsu FROM PUBLIC;
SQL
