package cursorcli

import (
	"github.com/dougu-go/dougu/internal/projectfile"
	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/config"
)

// Config holds the values of all settings. Field names are the keys of the file with an
// upper-case first letter. The table in newSettings has defaults, limits and meanings.
type Config struct {
	Server struct {
		Name                  string
		Version               string
		MaxConcurrentRequests int
		RequestTimeoutMs      int
	}
	Tools struct {
		AllowedTools   []string
		FileOperations struct {
			MaxFileSize        int64
			AllowedDirectories []string
			BlockedPatterns    []string
		}
	}
	Logging struct {
		Level         string
		Outputs       []string
		LogFile       string
		MaxLogSize    int64
		RotationCount int
	}
	Security struct {
		EnforceProjectRoot         bool
		AllowDestructiveOperations bool
	}
}

// Values of the setting logging.outputs.
const (
	programName = "cursorcli"
	// variablePrefix begins the names of the environment variables.
	variablePrefix = "CURSORCLI_MCP_"
	// settingsDir is the directory of a project that belongs to this program. Tools cannot
	// write to it, see security.DefaultProtected.
	settingsDir  = projectfile.CursorCLIDir
	settingsFile = projectfile.CursorCLI
	// maxConcurrent is the upper limit of server.maxConcurrentRequests.
	maxConcurrent = 1000
)

// Where logs go.
const (
	toConsole = "console"
	toFile    = "file"
	toPanel   = "cursor-output-panel"
)

// settings is the table of all keys, with the keys that need their own validation.
type settings struct {
	*config.Table[Config]
	allowedTools, allowedDirectories, blockedPatterns *config.ListKey[Config]
	logFile, logLevel, enforceProjectRoot             *config.Key[Config]
}

func newSettings() *settings {
	type c = Config
	s := &settings{
		allowedTools: config.NewList("tools.allowedTools", func(c *c) *[]string { return &c.Tools.AllowedTools }, []string{"*"},
			config.ListOf(config.Text(1, 128), 200), "`tools` that are offered: names, or patterns with *; [] for none"),
		allowedDirectories: config.NewList("tools.fileOperations.allowedDirectories", func(c *c) *[]string { return &c.Tools.FileOperations.AllowedDirectories }, nil,
			config.ListOf(config.Text(1, 4096), 100), "additional `directories` that tools may use, absolute, relative to the project or below ~"),
		blockedPatterns: config.NewList("tools.fileOperations.blockedPatterns", func(c *c) *[]string { return &c.Tools.FileOperations.BlockedPatterns }, nil,
			config.ListOf(config.Text(1, 1024), 1000), "additional `patterns` of blocked files, for example *.secret or private/**; in variables and flags, ! before a pattern unblocks files"),
		logFile: config.NewKey("logging.logFile", func(c *c) *string { return &c.Logging.LogFile }, settingsDir+"/logs/cursorcli.log",
			config.Text(1, 4096), "`file` of the logs, relative to the project; the configuration file can only name a file in "+settingsDir+"/ that ends in .log"),
		logLevel: config.NewKey("logging.level", func(c *c) *string { return &c.Logging.Level }, "info",
			config.OneOf("debug", "info", "warn", "error"), "least severe `level` that is logged").Alias("log-level"),
		enforceProjectRoot: config.NewSwitch("security.enforceProjectRoot", func(c *c) *bool { return &c.Security.EnforceProjectRoot }, true,
			"keep tools inside the project and the allowed directories; false needs the flag -allow-outside-root as well"),
	}
	s.allowedTools.Narrowing(config.PartOf(func(c *c) *[]string { return &c.Tools.AllowedTools }))
	s.blockedPatterns.Narrowing(config.Including(func(c *c) *[]string { return &c.Tools.FileOperations.BlockedPatterns }))
	s.logFile.ByProject() // in the program's own directory alone, see validateLogFile
	s.logLevel.ByProject()
	s.enforceProjectRoot.Narrowing(func(_, with *c) bool { return with.Security.EnforceProjectRoot })
	s.Table = config.NewTable(config.Options{
		Prefix: variablePrefix,
		Title:  "Settings of cursorcli",
		Others: []string{variablePrefix + "MODEL"}, // read by get_current_model
		Mask:   app.MaskSecrets,
	},
		config.NewKey("server.name", func(c *c) *string { return &c.Server.Name }, "cursorcli-mcp-server",
			config.Text(1, 128), "`name` of the server").ByProject(),
		config.NewKey("server.version", func(c *c) *string { return &c.Server.Version }, version,
			config.Text(1, 64), "`version` of the server").Unwritten().ByProject(),
		config.NewKey("server.maxConcurrentRequests", func(c *c) *int { return &c.Server.MaxConcurrentRequests }, 10,
			config.Whole(1, maxConcurrent), "`number` of tool calls that run at once, over all connections; more wait").Alias("concurrency").
			Narrowing(config.AtMost(func(c *c) *int { return &c.Server.MaxConcurrentRequests })),
		config.NewKey("server.requestTimeoutMs", func(c *c) *int { return &c.Server.RequestTimeoutMs }, 5000,
			config.Whole(1, 600_000), "`milliseconds` after which a tool call ends").
			Narrowing(config.AtMost(func(c *c) *int { return &c.Server.RequestTimeoutMs })),
		s.allowedTools.Key,
		config.NewKey("tools.fileOperations.maxFileSize", func(c *c) *int64 { return &c.Tools.FileOperations.MaxFileSize }, 10<<20,
			config.Whole[int64](1, 1<<30), "largest file that is read as a whole, in `bytes`").
			Narrowing(config.AtMost(func(c *c) *int64 { return &c.Tools.FileOperations.MaxFileSize })),
		s.allowedDirectories.Key,
		s.blockedPatterns.Key,
		s.logLevel,
		config.NewList("logging.outputs", func(c *c) *[]string { return &c.Logging.Outputs }, []string{toPanel},
			config.ListOf(config.OneOf(toConsole, toFile, toPanel), 3),
			"`outputs` of the logs: file; console: standard error; cursor-output-panel: the client if it requested logs, else standard error").ByProject(),
		s.logFile,
		config.NewKey("logging.maxLogSize", func(c *c) *int64 { return &c.Logging.MaxLogSize }, 10<<20,
			config.Whole[int64](1024, 1<<30), "size in `bytes` at which a log file is rotated").
			Narrowing(config.AtMost(func(c *c) *int64 { return &c.Logging.MaxLogSize })),
		config.NewKey("logging.rotationCount", func(c *c) *int { return &c.Logging.RotationCount }, 5,
			config.Whole(0, 100), "`number` of rotated log files that are kept").
			Narrowing(config.AtMost(func(c *c) *int { return &c.Logging.RotationCount })),
		s.enforceProjectRoot,
		config.NewSwitch("security.allowDestructiveOperations", func(c *c) *bool { return &c.Security.AllowDestructiveOperations }, false,
			"delete files permanently, not into the trash, without asking the user"),
	)
	return s
}
