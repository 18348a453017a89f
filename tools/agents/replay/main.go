package replay

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Version is the version that the program reports.
const Version = "2026.11.20-fakeagent"

// maxPrompt is the largest prompt on standard input, in bytes.
const maxPrompt = 64 << 20

// call is the parsed command line.
type call struct {
	prompt  string
	model   string
	session string
	mode    string
	force   bool
	print   bool
	partial bool
	format  string
	words   []string // positional arguments
}

// valueOptions are the options with a value.
var valueOptions = []string{"--model", "-m", "--output-format", "--mode", "--sandbox", "--workspace", "--resume", "--api-key", "-H", "--worktree-base"}

// parse parses the arguments like the Cursor CLI. Options without effect here are ignored.
func parse(args []string) (call, error) {
	c := call{format: "text"}
	for i := 0; i < len(args); i++ {
		option, value, joined := strings.Cut(args[i], "=")
		if !strings.HasPrefix(args[i], "-") {
			c.words = append(c.words, args[i])
			continue
		}
		if slices.Contains(valueOptions, option) && !joined {
			if i++; i == len(args) {
				return c, fmt.Errorf("error: option '%s <value>' argument missing", option)
			}
			value = args[i]
		}
		switch option {
		case "-p", "--print":
			c.print = true
		case "-f", "--force", "--yolo":
			c.force = true
		case "--stream-partial-output":
			c.partial = true
		case "--output-format":
			c.format = value
		case "--model", "-m":
			c.model = value
		case "--mode":
			c.mode = value
		case "--plan":
			c.mode = "plan"
		case "--resume":
			c.session = value
		case "--list-models":
			c.words = []string{"models"}
		case "--version", "-v":
			c.words = []string{"--version"}
		case "--trust", "--approve-mcps", "--sandbox", "--workspace", "--api-key", "-H", "--worktree-base":
		default:
			return c, fmt.Errorf("error: unknown option '%s'", option)
		}
	}
	return c, nil
}

// Main runs the program with arguments (without the program name) and returns its exit code.
// environ are variables as NAME=value. It works in the current directory of the process. Some
// recordings start processes, ignore signals, or never end.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer, environ []string) int {
	env := variables(environ)
	c, err := parse(args)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	login := !strings.EqualFold(env["FAKEAGENT_LOGIN"], "no")
	if len(c.words) > 0 && !c.print {
		return command(c.words[0], env, login, stdout, stderr)
	}
	c.prompt = strings.Join(c.words, " ")
	if c.prompt == "" {
		data, err := io.ReadAll(io.LimitReader(stdin, maxPrompt))
		if err != nil {
			fmt.Fprintln(stderr, "error: reading the prompt:", err)
			return 1
		}
		c.prompt = string(data)
	}
	switch {
	case strings.TrimSpace(c.prompt) == "":
		fmt.Fprintln(stderr, "Error: No prompt provided for print mode")
		return 1
	case !login:
		fmt.Fprintln(stderr, "Error: Authentication required. Please run 'agent login' first, or set CURSOR_API_KEY environment variable.")
		return 1
	case c.model != "" && !hasModel(env, c.model):
		fmt.Fprintf(stderr, "Cannot use this model: %s. Available models: %s\n", c.model, strings.Join(identifiers(env), ", "))
		return 1
	}
	c.session = cmp.Or(c.session, uuid())
	return play(c, env, stdout, stderr)
}

// command runs a command other than a prompt.
func command(word string, env map[string]string, login bool, stdout, stderr io.Writer) int {
	switch word {
	case "models":
		listModels(env, login, stdout)
	case "about":
		fmt.Fprintf(stdout, "\x1b[1mAbout Cursor CLI\x1b[0m\n\nCLI Version         %s\nModel               Auto\nUser Email          %s\n", Version, account(login))
	case "status", "whoami":
		if !login {
			fmt.Fprintln(stdout, "Not logged in")
			return 0
		}
		fmt.Fprintf(stdout, " ✓ Logged in as %s\n", account(login))
	case "create-chat":
		fmt.Fprintln(stdout, uuid())
	case "--version":
		fmt.Fprintln(stdout, Version)
	default:
		fmt.Fprintf(stderr, "error: a prompt needs --print; the commands are models, about, status, create-chat (not %q)\n", word)
		return 1
	}
	return 0
}

func account(login bool) string {
	if login {
		return "somebody@example.com"
	}
	return "Not logged in"
}

func variables(environ []string) map[string]string {
	env := make(map[string]string, len(environ))
	for _, v := range environ {
		name, value, _ := strings.Cut(v, "=")
		env[name] = value
	}
	return env
}

// scaleOf returns a function that scales recorded delays by FAKEAGENT_SPEED.
func scaleOf(env map[string]string) func(time.Duration) time.Duration {
	speed, err := strconv.ParseFloat(cmp.Or(env["FAKEAGENT_SPEED"], "1"), 64)
	if err != nil || speed < 0 {
		speed = 1
	}
	return func(d time.Duration) time.Duration {
		if speed == 0 {
			return 0
		}
		return time.Duration(float64(d) / speed)
	}
}

func uuid() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
