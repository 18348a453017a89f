package app

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/internal/projectfile"
)

// selection is the choice of the directories that a program may use.
type selection struct {
	// dirs are absolute; the first is the project. It is empty if there is no project.
	dirs []string
	// rule names the rule that has chosen dirs, for messages.
	rule string
	// given reports that the user has named the directory: by the flag -root, or by a setting
	// or variable of the program. The program reads such a directory itself.
	given bool
	// byClient reports that a variable of the client names the directories.
	byClient bool
	// refused are the directories that were not used, each with the reason: the first maxRefused.
	// more is the number of the others.
	refused []string
	more    int
}

const (
	// maxDirectories limits the directories of a program. Each of them is an open file, at least.
	maxDirectories = 100
	// maxRefused limits the refused directories that messages name.
	maxRefused = 5
)

// Rules by which a project is chosen, as messages name them.
const (
	ruleFlag      = "the flag -" + rootFlag
	ruleFolders   = "the folders of the client (roots)"
	ruleGit       = "the git repository around the current directory"
	ruleDirectory = "the current directory"
)

// clientVariables returns the environment variables by which clients name the project.
func clientVariables() []string {
	return []string{
		"CLAUDE_PROJECT_DIR",     // Claude Code: one directory
		"WORKSPACE_FOLDER_PATHS", // Cursor: the folders of the window
	}
}

// unresolved matches a value that contains a variable that the client was to replace.
var unresolved = regexp.MustCompile(`\$\{[^}]*\}|^\$[A-Za-z_][A-Za-z0-9_]*|^%[A-Za-z_][A-Za-z0-9_]*%`)

// isUnresolved reports whether a directory on a command line or in a variable is missing: it is
// empty, or a variable that the client has not replaced.
func isUnresolved(dir string) bool {
	if dir == "" {
		return true
	}
	if !unresolved.MatchString(dir) {
		return false
	}
	_, err := os.Lstat(dir)
	return err != nil
}

// place is the part of a machine on which the choice of a project depends.
type place struct {
	projectfile.Machine
	getenv func(name string) string
	getwd  func() (string, error)
	// check returns nil if the path is a directory.
	check func(path string) error
	// exists reports whether there is a file or directory.
	exists func(path string) bool
}

// place returns the machine of the process, with the home and the variables of a.Environment.
func (a *App) place() place {
	e := a.environment()
	getenv := e.Getenv
	if getenv == nil {
		getenv = func(string) string { return "" }
	}
	return place{Machine: projectfile.Local(e.Home, getenv), getenv: getenv, getwd: os.Getwd, check: checkDirectory, exists: exists}
}

func checkDirectory(path string) error {
	switch info, err := os.Stat(path); {
	case errors.Is(err, os.ErrNotExist):
		return errors.New("it does not exist")
	case err != nil:
		return reason(err)
	case !info.IsDir():
		return errors.New("it is not a directory")
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// choose returns the project. folders are the file URIs of the client's roots, nil if they are
// unknown. The rules in order: the folders of the client, the variables of clients, the git
// repository around the current directory, and the current directory. A directory that does not
// exist, and one that holds more than a project, is refused; see projectfile.Machine.TooWide.
func (p place) choose(folders []string) selection {
	var s selection
	for _, folder := range folders {
		dir, err := p.folderPath(folder)
		if err != nil {
			s.refuse(folder, err)
			continue
		}
		s.add(p, dir)
	}
	if len(s.dirs) > 0 {
		s.rule = ruleFolders
		return s
	}
	for _, name := range clientVariables() {
		value := p.getenv(name)
		if isUnresolved(value) {
			continue
		}
		for _, dir := range p.directories(value) {
			s.add(p, dir)
		}
		if len(s.dirs) > 0 {
			s.rule, s.byClient = "the variable "+name, true
			return s
		}
	}
	current, err := p.getwd()
	if err != nil {
		s.refuse(ruleDirectory, reason(err))
		return s
	}
	if top := p.repository(current); top != "" {
		s.dirs, s.rule = []string{top}, ruleGit
		return s
	}
	if s.add(p, current); len(s.dirs) > 0 {
		s.rule = ruleDirectory
	}
	return s
}

// add adds a directory, or records the reason for its refusal.
func (s *selection) add(p place, dir string) {
	if err := p.usable(dir); err != nil {
		s.refuse(dir, err)
		return
	}
	switch dir = p.Clean(dir); {
	case slices.Contains(s.dirs, dir):
	case len(s.dirs) == maxDirectories:
		s.refuse(dir, fmt.Errorf("there are more than %d directories", maxDirectories))
	default:
		s.dirs = append(s.dirs, dir)
	}
}

func (s *selection) refuse(dir string, why error) {
	if len(s.refused) == maxRefused {
		s.more++
		return
	}
	s.refused = append(s.refused, fmt.Sprintf("%.200s: %v", dir, why))
}

// reasons returns the refused directories with the reasons, and the number of those left out.
func (s selection) reasons() []string {
	if s.more == 0 {
		return s.refused
	}
	return append(slices.Clone(s.refused), fmt.Sprintf("and %d more", s.more))
}

// usable returns the reason why a directory cannot be a project, or nil.
func (p place) usable(dir string) error {
	if !p.IsAbs(dir) {
		return errors.New("it is not an absolute path")
	}
	if p.TooWide(dir) {
		return errors.New("it is the home directory, a directory above it, or a whole file system")
	}
	return p.check(dir)
}

// repository returns the innermost directory with a git repository that contains dir, or "". The
// home directory and directories above it do not count.
func (p place) repository(dir string) string {
	for dir = p.Clean(dir); !p.TooWide(dir); dir = p.Parent(dir) {
		if p.exists(p.Join(dir, ".git")) {
			return dir
		}
	}
	return ""
}

// directories returns the directories in a variable: one path, a JSON array of paths, or paths
// that are separated by commas or as in PATH.
func (p place) directories(value string) []string {
	if p.check(value) == nil {
		return []string{value}
	}
	var list []string
	if json.Unmarshal([]byte(value), &list) == nil {
		return list
	}
	separators := ",:"
	if p.GOOS == "windows" {
		separators = ",;"
	}
	for dir := range strings.FieldsFuncSeq(value, func(r rune) bool { return strings.ContainsRune(separators, r) }) {
		list = append(list, strings.TrimSpace(dir))
	}
	return list
}

// folderPath returns the path of a folder that a client announces, a file URI (RFC 8089). Some
// clients send plain paths.
func (p place) folderPath(uri string) (string, error) {
	if p.IsAbs(uri) {
		return uri, nil
	}
	rest, ok := strings.CutPrefix(uri, "file:")
	if !ok {
		return "", errors.New("it is not a file URI")
	}
	var host string
	if after, ok := strings.CutPrefix(rest, "//"); ok {
		i := strings.IndexByte(after, '/')
		if i < 0 {
			i = len(after)
		}
		host, rest = after[:i], after[i:]
	}
	// Some clients do not encode characters such as % and #.
	if decoded, err := url.PathUnescape(rest); err == nil {
		rest = decoded
	}
	local := host == "" || strings.EqualFold(host, "localhost")
	switch drive := strings.TrimPrefix(rest, "/"); {
	case strings.ContainsRune(rest, 0) || !strings.HasPrefix(rest, "/"):
		return "", errors.New("its path is not absolute")
	case p.GOOS != "windows" && local:
		return rest, nil
	case p.GOOS != "windows":
		return "", fmt.Errorf("it is on the machine %s", host)
	case !local:
		return `\\` + host + strings.ReplaceAll(rest, "/", `\`), nil
	case projectfile.HasDrive(drive):
		return strings.ReplaceAll(drive, "/", `\`), nil
	}
	return "", errors.New("it names no drive")
}

// missing returns the error of a program without a project, as a sentence that tells why.
func (s selection) missing() string {
	text := "There is no project"
	if len(s.refused) > 0 {
		text += " (" + strings.Join(s.reasons(), "; ") + ")"
	}
	return text + "."
}

// dropUnresolved removes the flags -root whose value is not a directory: it is empty, or a
// variable that the client has not replaced. It returns the removed values.
func dropUnresolved(args []string) (rest, dropped []string) {
	for i := 0; i < len(args); i++ {
		name, value, hasValue := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(args[i], "-"), "-"), "=")
		switch {
		case args[i] == "--":
			return append(rest, args[i:]...), dropped
		case !strings.HasPrefix(args[i], "-") || name != rootFlag:
		case hasValue && isUnresolved(value):
			dropped = append(dropped, value)
			continue
		case !hasValue && i+1 < len(args) && isUnresolved(args[i+1]):
			dropped = append(dropped, args[i+1])
			i++
			continue
		}
		rest = append(rest, args[i])
	}
	return rest, dropped
}

// needsNoProject reports whether a command runs without a project.
func (c command) needsNoProject() bool {
	return c.anywhere || slices.Contains([]string{serveName, "tools", "install", "doctor", "config", "completion", "version", "token"}, c.name)
}

// selectProject chooses the project of a command from its parsed flags and sets the flag -root.
// It is an error if the command needs a project and there is none. A server, doctor and tools
// handle this case themselves.
func (a *App) selectProject(flags *flag.FlagSet, c command) error {
	a.options.project = selection{given: true}
	if flags.Lookup(rootFlag) == nil || c.name == "install" {
		return nil
	}
	if isGiven(flags, rootFlag) {
		a.options.project.rule = ruleFlag
		a.options.project.dirs = rootsOf(flags)
		return nil
	}
	if a.Project != nil {
		if dir, rule := a.Project(); !isUnresolved(dir) {
			a.options.project.rule, a.options.project.dirs = rule, []string{dir}
			return nil
		}
	}
	s := a.place().choose(nil)
	a.options.project = s
	if len(s.dirs) == 0 {
		if c.needsNoProject() {
			return nil
		}
		return fmt.Errorf("%s Change to the directory of a project, or name one with -%s DIR", s.missing(), rootFlag)
	}
	return setRoots(flags, s.dirs)
}

// isGiven reports whether a flag stood on the command line.
func isGiven(flags *flag.FlagSet, name string) bool {
	given := false
	flags.Visit(func(f *flag.Flag) { given = given || f.Name == name })
	return given
}

// rootsOf returns the values of the flag -root.
func rootsOf(flags *flag.FlagSet) []string {
	value := flags.Lookup(rootFlag).Value
	if r, ok := value.(*recorder); ok {
		value = r.Value
	}
	if list, ok := value.(*List); ok {
		return slices.Clone(*list)
	}
	return []string{value.String()}
}

// setRoots sets the flag -root: to all directories if it may be repeated, and else to the first.
func setRoots(flags *flag.FlagSet, dirs []string) error {
	value := flags.Lookup(rootFlag).Value
	if r, ok := value.(*recorder); ok {
		value = r.Value
	}
	if _, several := value.(*List); !several {
		dirs = dirs[:1]
	}
	for _, dir := range dirs {
		if err := flags.Set(rootFlag, dir); err != nil {
			return fmt.Errorf("-%s %s: %w", rootFlag, dir, err)
		}
	}
	return nil
}

// logProject logs the choice of a project.
func logProject(log *slog.Logger, s selection) {
	for _, refused := range s.reasons() {
		log.Info("a directory is not used as the project", slog.String("directory", refused))
	}
	if len(s.dirs) > 0 {
		log.Info("project chosen", slog.String("project", s.dirs[0]), slog.Int("directories", len(s.dirs)), slog.String("rule", s.rule))
	}
}

// checkProject is the check of doctor that names the project and the rule that has chosen it.
func (a *App) checkProject() Check {
	s := a.options.project
	c := Check{Name: "project", Status: OK}
	switch {
	case len(s.dirs) == 0:
		c.Status, c.Detail = Warning, s.missing()
		c.Next = fmt.Sprintf("Nothing to do for a client that announces its folders. Otherwise run doctor in the project, or name the project: %s install CLIENT -%s DIR.", a.Name, rootFlag)
	case s.given:
		c.Detail = fmt.Sprintf("%s, by %s", s.dirs[0], s.rule)
	default:
		c.Detail = fmt.Sprintf("%s, by %s; the folders that a client announces come before it", s.dirs[0], s.rule)
	}
	return c
}
