package searchservice

import (
	"strings"

	"github.com/dougu-go/dougu/internal/projectfile"
	"github.com/dougu-go/dougu/security/redact"
	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/config"
)

// Config has all settings, in the structure of the file. Times are in milliseconds.
type Config struct {
	Server struct {
		Name, Version, Description string
		Host                       string
		Port                       int
	}
	Connection struct {
		MaxConnections    int
		Timeout           int
		KeepAliveInterval int
		HeartbeatInterval int
		IdleTimeout       int
	}
	Transport struct {
		Stdio, WebSocket, TCP, HTTP bool
		Hosts                       []string
	}
	Security struct {
		AllowedClients []string
		RateLimiting   struct {
			Enabled              bool
			MaxRequestsPerMinute int
			MaxRequestsPerHour   int
		}
		Authentication struct {
			Enabled     bool
			TokenSecret string
			TokenFile   string
		}
		Permissions []string
	}
	Logging struct {
		Level      string
		File       string
		Console    bool
		Structured bool
		Language   string
	}
	Plugins struct {
		Enabled []string
		Config  struct {
			Filesystem struct {
				WatchPaths []string
				Ignore     []string
			}
			GitHub struct {
				Token, Owner, Repo string
				URL                string
				Repos              []string
			}
		}
	}
	Index struct {
		Path string
	}
	Embeddings struct {
		Provider, URL, Model, Key string
	}
	Monitoring struct {
		Metrics bool
		Alerts  []string
	}
}

const (
	// Prefix is the prefix of environment variables.
	Prefix = "CQM_"
	// DefaultFile is the settings file in a project.
	DefaultFile = projectfile.CQM
	// userFile is the settings file of the user, below the directory for settings.
	userFile = "cqm/config.yaml"
)

// The plugins that can be enabled.
const (
	pluginFilesystem = "filesystem"
	pluginGitHub     = "github"
)

// Values of settings.
const (
	embedOff    = "off"
	embedOpenAI = "openai"
	embedOllama = "ollama"
	memoryIndex = "memory"
)

// OtherVariables maps variable names of the specification to the names that the table derives from
// keys.
var OtherVariables = map[string]string{Prefix + "LOG_LEVEL": Prefix + "LOGGING_LEVEL"}

// settings is the table of all keys.
type settings struct{ *config.Table[Config] }

func newSettings() *settings {
	type c = Config
	word, name := config.Text(1, 4096), config.Text(1, 256)
	redactor := redact.New(redact.Options{})
	s := new(settings)
	s.Table = config.NewTable(config.Options{
		Title: "Settings of cqm", Prefix: Prefix,
		Others: []string{Prefix + "CONFIG_PATH", Prefix + "PROJECT_ROOT"}, Synonyms: OtherVariables,
		Mask: func(name, value string) string {
			switch name {
			case "embeddings.key":
				return "[redacted]"
			case "monitoring.alerts": // webhook addresses are secrets
				if kind, _, has := strings.Cut(value, "="); has {
					return kind + "=[redacted]"
				}
			}
			if redactor.SecretKey(name[strings.LastIndexByte(name, '.')+1:]) {
				return "[redacted]"
			}
			return redactor.Redact(value)
		},
	},
		config.NewKey("server.name", func(c *c) *string { return &c.Server.Name }, "CQ Models!", config.Text(1, 128), "`name` of the server").ByProject(),
		config.NewKey("server.version", func(c *c) *string { return &c.Server.Version }, app.Version(), config.Text(1, 64), "`version` of the server").ByProject(),
		config.NewKey("server.description", func(c *c) *string { return &c.Server.Description }, "Unified context manager for AI models", config.Text(0, 1024), "`text` that describes the server").ByProject(),
		config.NewKey("server.host", func(c *c) *string { return &c.Server.Host }, "127.0.0.1",
			config.Text(1, 255), "`address` to listen on; on other addresses than loopback, clients need a token").Alias("host"),
		config.NewKey("server.port", func(c *c) *int { return &c.Server.Port }, 8765,
			config.Whole(0, 65534), "`port` for HTTP and WebSocket, and the next one for TCP; 0: any free ports").Alias("port").ByProject(),
		config.NewKey("connection.maxConnections", func(c *c) *int { return &c.Connection.MaxConnections }, 10,
			config.Whole(1, 100_000), "`number` of concurrent sessions; more are refused").Narrowing(config.AtMost(func(c *c) *int { return &c.Connection.MaxConnections })),
		config.NewKey("connection.timeout", func(c *c) *int { return &c.Connection.Timeout }, 30_000,
			config.Whole(1000, 3_600_000), "`milliseconds` after which a request ends").ByProject(),
		config.NewKey("connection.keepAliveInterval", func(c *c) *int { return &c.Connection.KeepAliveInterval }, 15_000,
			config.Whole(1000, 3_600_000), "`milliseconds` between the keep-alive comments of an open stream of HTTP").ByProject(),
		config.NewKey("connection.heartbeatInterval", func(c *c) *int { return &c.Connection.HeartbeatInterval }, 5000,
			config.Whole(1000, 3_600_000), "`milliseconds` between the pings of a WebSocket connection").ByProject(),
		config.NewKey("connection.idleTimeout", func(c *c) *int { return &c.Connection.IdleTimeout }, 300_000,
			config.Whole(1000, 7*24*3_600_000), "`milliseconds` after which a session without requests ends").ByProject(),
		config.NewSwitch("transport.stdio", func(c *c) *bool { return &c.Transport.Stdio }, true, "serve standard input and output").ByProject(),
		config.NewSwitch("transport.websocket", func(c *c) *bool { return &c.Transport.WebSocket }, false, "serve WebSocket at /ws").Narrowing(config.Only(func(c *c) *bool { return &c.Transport.WebSocket }, false)),
		config.NewSwitch("transport.tcp", func(c *c) *bool { return &c.Transport.TCP }, false, "serve TCP, one message a line, on the port after the HTTP port").Narrowing(config.Only(func(c *c) *bool { return &c.Transport.TCP }, false)),
		config.NewSwitch("transport.http", func(c *c) *bool { return &c.Transport.HTTP }, false, "serve Streamable HTTP at /mcp").Narrowing(config.Only(func(c *c) *bool { return &c.Transport.HTTP }, false)),
		config.NewList("transport.hosts", func(c *c) *[]string { return &c.Transport.Hosts }, nil,
			config.ListOf(config.Text(1, 255), 100), "additional host `names` of the server for HTTP and WebSocket").Key,
		config.NewList("security.allowedClients", func(c *c) *[]string { return &c.Security.AllowedClients }, []string{"cursor", "claude-desktop", "*"},
			config.ListOf(name, 100), "`clients` that may use the server: cursor, claude-desktop, vscode, claude-code or another name; * for all").Narrowing(config.PartOf(func(c *c) *[]string { return &c.Security.AllowedClients })),
		config.NewSwitch("security.rateLimiting.enabled", func(c *c) *bool { return &c.Security.RateLimiting.Enabled }, true, "limit the requests of a principal, or of a host without a token").Narrowing(config.Only(func(c *c) *bool { return &c.Security.RateLimiting.Enabled }, true)),
		config.NewKey("security.rateLimiting.maxRequestsPerMinute", func(c *c) *int { return &c.Security.RateLimiting.MaxRequestsPerMinute }, 120,
			config.Whole(1, 1_000_000), "`requests` of a principal, or of a host without a token, in a minute").Narrowing(config.AtMost(func(c *c) *int { return &c.Security.RateLimiting.MaxRequestsPerMinute })),
		config.NewKey("security.rateLimiting.maxRequestsPerHour", func(c *c) *int { return &c.Security.RateLimiting.MaxRequestsPerHour }, 3600,
			config.Whole(1, 10_000_000), "`requests` of a principal, or of a host without a token, in an hour").Narrowing(config.AtMost(func(c *c) *int { return &c.Security.RateLimiting.MaxRequestsPerHour })),
		config.NewSwitch("security.authentication.enabled", func(c *c) *bool { return &c.Security.Authentication.Enabled }, false, "require a token from clients over the network").Narrowing(config.Only(func(c *c) *bool { return &c.Security.Authentication.Enabled }, true)),
		config.NewKey("security.authentication.tokenSecret", func(c *c) *string { return &c.Security.Authentication.TokenSecret }, "",
			config.Text(0, 4096), "`token` that clients present, of 16 characters or more; better \"${NAME}\" than the token itself"),
		config.NewKey("security.authentication.tokenFile", func(c *c) *string { return &c.Security.Authentication.TokenFile }, "",
			config.Text(0, 4096), "`file` with additional tokens, NAME=TOKEN[PERMISSION …] a line"),
		config.NewList("security.permissions", func(c *c) *[]string { return &c.Security.Permissions }, []string{"issues:write"},
			config.ListOf(name, 100), "`permissions` of clients without a token of their own: issues:write to create issues; [] for none").Narrowing(config.PartOf(func(c *c) *[]string { return &c.Security.Permissions })),
		config.NewKey("logging.level", func(c *c) *string { return &c.Logging.Level }, "info",
			config.OneOf("debug", "info", "warn", "error"), "least severe `level` that is logged").Alias("log-level").ByProject(),
		config.NewKey("logging.file", func(c *c) *string { return &c.Logging.File }, "",
			config.Text(0, 4096), "additional `file` of the log; empty for none"),
		config.NewSwitch("logging.console", func(c *c) *bool { return &c.Logging.Console }, true, "log to standard error").ByProject(),
		config.NewSwitch("logging.structured", func(c *c) *bool { return &c.Logging.Structured }, false, "log JSON objects, one a line").ByProject(),
		config.NewKey("logging.language", func(c *c) *string { return &c.Logging.Language }, "ja",
			config.OneOf("ja", "en"), "`language` of the messages for users in errors").ByProject(),
		config.NewList("plugins.enabled", func(c *c) *[]string { return &c.Plugins.Enabled }, []string{pluginFilesystem, pluginGitHub},
			config.ListOf(config.OneOf(pluginFilesystem, pluginGitHub), 2), "`plugins` that are used").Narrowing(config.PartOf(func(c *c) *[]string { return &c.Plugins.Enabled })),
		config.NewList("plugins.config.filesystem.watchPaths", func(c *c) *[]string { return &c.Plugins.Config.Filesystem.WatchPaths }, []string{"."},
			config.ListOf(word, 100), "`directories` of the project that are indexed").ByProject(),
		config.NewList("plugins.config.filesystem.ignore", func(c *c) *[]string { return &c.Plugins.Config.Filesystem.Ignore }, []string{"node_modules", ".git", "*.log"},
			config.ListOf(word, 1000), "`patterns` of files that are not indexed, in addition to .gitignore and in its format").ByProject(),
		config.NewKey("plugins.config.github.token", func(c *c) *string { return &c.Plugins.Config.GitHub.Token }, "",
			config.Text(0, 4096), "`token` for GitHub; empty: GITHUB_TOKEN"),
		config.NewKey("plugins.config.github.owner", func(c *c) *string { return &c.Plugins.Config.GitHub.Owner }, "",
			config.Text(0, 256), "`owner` of the repository; empty: GITHUB_OWNER, or the owner in the remote of the project").ByProject(),
		config.NewKey("plugins.config.github.repo", func(c *c) *string { return &c.Plugins.Config.GitHub.Repo }, "",
			config.Text(0, 256), "`name` of the repository; empty: GITHUB_REPO, or the name in the remote of the project").ByProject(),
		config.NewKey("plugins.config.github.url", func(c *c) *string { return &c.Plugins.Config.GitHub.URL }, "",
			config.Text(0, 4096), "`URL` of the API of a GitHub Enterprise server; empty for github.com"),
		config.NewList("plugins.config.github.repos", func(c *c) *[]string { return &c.Plugins.Config.GitHub.Repos }, nil,
			config.ListOf(name, 100), "additional `repositories` that tools may name: OWNER/NAME, OWNER/*, or * for all that the token can read").Key,
		config.NewKey("index.path", func(c *c) *string { return &c.Index.Path }, "",
			config.Text(0, 4096), "`directory` of the index; empty: in the user's cache, "+memoryIndex+": nowhere"),
		config.NewKey("embeddings.provider", func(c *c) *string { return &c.Embeddings.Provider }, embedOff,
			config.OneOf(embedOff, embedOpenAI, embedOllama), "`service` that computes embeddings; it receives the text of the project: "+embedOpenAI+" (and compatible services), "+embedOllama+", or "+embedOff),
		config.NewKey("embeddings.url", func(c *c) *string { return &c.Embeddings.URL }, "",
			config.Text(0, 4096), "`URL` of that service; empty: its default"),
		config.NewKey("embeddings.model", func(c *c) *string { return &c.Embeddings.Model }, "", config.Text(0, 256), "`model` that computes the embeddings"),
		config.NewKey("embeddings.key", func(c *c) *string { return &c.Embeddings.Key }, "", config.Text(0, 4096), "`key` for the service; better \"${NAME}\" than the key itself"),
		config.NewSwitch("monitoring.metrics", func(c *c) *bool { return &c.Monitoring.Metrics }, true, "serve /metrics, /livez, /readyz and /healthz beside HTTP and WebSocket").ByProject(),
		config.NewList("monitoring.alerts", func(c *c) *[]string { return &c.Monitoring.Alerts }, nil,
			config.ListOf(word, 20), "`targets` that receive alerts, in addition to the log: desktop, slack=URL, discord=URL, webhook=URL").Key,
	)
	return s
}
