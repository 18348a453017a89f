package sqlite

import "github.com/dougu-go/dougu/tools/internal/sqlitefile"

// schema lists the schema versions. Agents of the first version belong to the empty principal.
var schema = sqlitefile.Schema{Application: 0x4b75726f, Migrations: []string{`
CREATE TABLE groups (seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, active INTEGER NOT NULL, created TEXT NOT NULL,
	revision INTEGER NOT NULL, content TEXT NOT NULL);
CREATE TABLE agents (seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, group_id TEXT NOT NULL, role TEXT NOT NULL, status TEXT NOT NULL,
	outcome TEXT NOT NULL, ended INTEGER NOT NULL, created TEXT NOT NULL, version INTEGER NOT NULL, search BLOB NOT NULL, content TEXT NOT NULL);
CREATE INDEX agents_group ON agents (group_id, seq);
CREATE INDEX agents_ended ON agents (ended, created);
CREATE INDEX agents_created ON agents (created);
`, `
ALTER TABLE agents ADD COLUMN principal BLOB NOT NULL DEFAULT x'';
CREATE INDEX agents_principal ON agents (principal, seq);
`}}
