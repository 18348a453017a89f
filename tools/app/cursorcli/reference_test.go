package cursorcli

import "io"

// settingsPage is the introduction to the settings in docs/configuration.md.
const settingsPage = "\n## Settings of cursorcli\n\n" +
	"Settings come from the file `" + settingsFile + "` in the project (the first `-root`), from environment variables and from flags. A variable wins over\n" +
	"the file, and a flag over both. `cursorcli config` shows what is in force, where it comes from and what is wrong;\n" +
	"`cursorcli config -schema` prints a JSON Schema of the file. `cursorcli serve` makes the file with all defaults (but `server.version`, which would be\n" +
	"wrong after an update) when there is none, unless it is `-read-only`, and follows its changes while clients are connected. No tool can write to it. Beside a file that it makes it puts a `.gitignore`, so that git does not see\n" +
	"it; delete the line `/config.json` there to share the settings. In the home directory, in a directory above it and in `/` it makes no file.\n\n" +
	"Lists in variables and flags are words between commas, or JSON. An empty variable counts as not set; `[]` is an empty list.\n\n" +
	"Whatever is wrong is logged, all of it at once, and the server starts. The last source that has a key decides: if its value is not allowed, the\n" +
	"default is used, not the value of an earlier source, and this is so as well when the file changes. Elements of lists that are not allowed are left\n" +
	"out and the others stay. A file that is not JSON in UTF-8, or larger than 1 MiB, is not used at all.\n\n" +
	"A project that was cloned can bring a file of settings along. It cannot choose a log file outside of `" + settingsDir + "/`, nor show files that are\n" +
	"hidden for their secrets, and tools are let out of the project (`security.enforceProjectRoot`) only with a flag as well. The directories that it\n" +
	"allows can hold neither the project nor your home directory, and be none in which secrets or files that start programs could not be recognised.\n\n"

// writeSettingsReference writes the reference of the settings, in Markdown.
func writeSettingsReference(w io.Writer, s *settings) error {
	if _, err := io.WriteString(w, settingsPage); err != nil {
		return err
	}
	return s.Reference(w)
}
