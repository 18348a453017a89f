package git

import (
	"fmt"
	"slices"
	"strings"
)

// Settings are the settings of a repository: its configuration, all included files, and the configuration of the worktree.
type Settings struct {
	// Off are the overridden keys. They name programs.
	Off []string
	// Filters are the overridden filters that the user's own configuration does not define. A file with one of them differs
	// from the commit, and is checked out as it was committed.
	Filters []string
	// Refused are keys that cannot be overridden and affect network connections.
	Refused []string
	// IgnoreRevs are the files that blame.ignoreRevsFile names. Git reads them, and its errors contain their first invalid
	// line.
	IgnoreRevs []string

	user     []setting // the user's own configuration
	off      []string  // arguments of git that override settings
	replays  bool      // the user's credential helpers are configured again
	unsafe   *Unsafe   // a setting that no argument overrides
	programs []setting // programs at the remote end
	promisor bool      // a promisor remote holds objects that are missing here
}

// setting is a key of the configuration with its value and file.
type setting struct{ key, value, origin string }

// parts returns the section of a key, the part between section and last word, and the last word.
func (s setting) parts() (section, middle, name string) {
	section, rest, _ := strings.Cut(s.key, ".")
	if at := strings.LastIndexByte(rest, '.'); at >= 0 {
		return strings.ToLower(section), rest[:at], strings.ToLower(rest[at+1:])
	}
	return strings.ToLower(section), "", strings.ToLower(rest)
}

// User returns the value of a lower-case key in the user's own configuration, or "".
func (s *Settings) User(key string) string {
	value, _ := s.userValue(key)
	return value
}

// fixedSettings returns settings for every repository: they fix the format of the output and disable side effects.
func fixedSettings() []string {
	var off []string
	for _, s := range []string{
		"color.ui=never", "color.diff=never", "color.branch=never", "color.status=never", "color.push=never", "color.remote=never", "color.transport=never", "color.advice=never",
		"column.ui=never", "diff.relative=false", "diff.suppressBlankEmpty=false", "diff.renames=true", "diff.colorMoved=no", "diff.interHunkContext=0", "log.showSignature=false", "log.follow=false",
		"status.submoduleSummary=false", "diff.submodule=short", "submodule.recurse=false", "fetch.recurseSubmodules=false", "push.recurseSubmodules=no", "push.followTags=false",
		"push.gpgSign=false", "push.autoSetupRemote=false", "merge.autoStash=false", "rebase.autoStash=false", "rebase.autoSquash=false", "rebase.updateRefs=false", "rebase.missingCommitsCheck=ignore",
		"core.protectHFS=true", "core.protectNTFS=true", "user.useConfigOnly=true", "rerere.autoUpdate=false", "i18n.commitEncoding=UTF-8", "core.quotePath=false",
	} {
		off = append(off, "-c", s)
	}
	return off
}

// textMerge merges files line by line, as git does without a merge driver. An empty driver would make conflicts appear
// resolved.
const textMerge = "git merge-file --marker-size=%L %A %O %B"

// classify overrides a setting of the repository if it makes git run or trust something.
func (s *Settings) classify(one setting) {
	section, middle, name := one.parts()
	switch section {
	case "core":
		s.core(one, name)
	case "blame":
		if name == "ignorerevsfile" && one.value != "" {
			s.IgnoreRevs = append(s.IgnoreRevs, one.value)
		}
	case "filter":
		s.filter(one, name)
	case "credential":
		if name == "helper" {
			s.helpers(one)
		}
	case "diff":
		if name == "external" || name == "command" || name == "textconv" {
			s.turnOff(one, "")
		}
	case "merge":
		if name == "driver" {
			s.turnOff(one, textMerge)
		} else if name == "default" {
			s.turnOff(one, "text")
		}
	case "gpg":
		if usual, runs := gpgPrograms[strings.ToLower(middle)+"."+name]; runs {
			s.turnOff(one, usual)
		}
	case "branch":
		if name == "mergeoptions" {
			s.turnOff(one, "")
		}
	case "remote":
		s.remote(one, name)
	case "http":
		if !slices.Contains(harmlessHTTP, name) {
			s.refuse(one)
		}
	case "protocol":
		if name == "allow" { // an environment variable overrides it
			s.note(one)
		}
	case "extensions":
		s.promisor = s.promisor || name == "partialclone"
	case "lfs": // read by git-lfs, which can be a filter of the user
		if slices.Contains([]string{"path", "args", "clean", "smudge", "standalonetransferagent"}, name) || isProgramKey(name) {
			s.turnOff(one, "")
		}
	case "pull":
		if name == "twohead" || name == "octopus" {
			s.checkStrategies(one)
		}
	case "ssh":
		if name == "variant" {
			s.turnOff(one, "auto")
		}
	case "hook":
		s.note(one)
		s.override("hook."+middle+".enabled", "false", one)
		s.override("hook."+middle+".event", "", one)
	default:
		if !slices.Contains(unusedSections, section) && isProgramKey(name) {
			s.turnOff(one, "")
		}
	}
}

// core classifies the settings of the section core.
func (s *Settings) core(one setting, name string) {
	switch name {
	case "fsmonitor", "hookspath": // overridden by always
		if one.value != "false" && one.value != "" {
			s.note(one)
		}
	case "sshcommand", "editor", "pager", "askpass", "gitproxy": // environment variables override them
		s.note(one)
	case "alternaterefscommand":
		s.turnOff(one, "true")
	case "protecthfs", "protectntfs": // overridden by always
	}
}

// gpgPrograms maps the keys of signing programs to their default programs.
var gpgPrograms = map[string]string{
	".program": "gpg", "openpgp.program": "gpg", "x509.program": "gpgsm", "ssh.program": "ssh-keygen", "ssh.defaultkeycommand": "",
}

// harmlessHTTP are settings that neither redirect a connection nor weaken its checks.
var harmlessHTTP = []string{"extraheader", "postbuffer", "useragent", "version", "lowspeedlimit", "lowspeedtime", "maxrequests", "minsessions", "emptyauth", "noepsv"}

// unusedSections are sections without effect on the commands of this package.
var unusedSections = []string{
	"alias", "pager", "sequence", "interactive", "difftool", "mergetool", "guitool", "gui", "sendemail", "instaweb", "web", "browser", "man", "help",
	"gitcvs", "imap", "submodule", "trailer", "uploadpack", "receive", "tar", "svn-remote", "include", "includeif",
}

// isProgramKey reports whether the last word of an unknown key indicates that its value is run.
func isProgramKey(name string) bool {
	for _, end := range []string{"command", "cmd", "program", "helper", "driver", "hook", "process", "exec", "editor"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

// filterPrograms are the keys of a filter that name programs.
var filterPrograms = []string{"clean", "smudge", "process"}

// filter classifies a setting of a filter.
func (s *Settings) filter(one setting, name string) {
	switch {
	case slices.Contains(filterPrograms, name):
		s.turnOff(one, "")
	case name == "required":
		if own, ok := s.userValue(one.key); ok {
			s.override(one.key, own, one)
		} else {
			s.override(one.key, "false", one)
		}
	}
}

// setFilters collects the overridden filters.
func (s *Settings) setFilters(brought []setting) {
	for _, one := range brought {
		section, filter, name := one.parts()
		if section != "filter" || one.value == "" || !slices.Contains(filterPrograms, name) || slices.Contains(s.Filters, filter) {
			continue
		}
		if !slices.ContainsFunc(filterPrograms, func(program string) bool { _, ok := s.userValue("filter." + filter + "." + program); return ok }) {
			s.Filters = append(s.Filters, filter)
		}
	}
}

// helpers removes all credential helpers and configures those of the user again.
func (s *Settings) helpers(one setting) {
	s.note(one)
	if s.replays {
		return
	}
	s.replays = true
	s.off = append(s.off, "-c", "credential.helper=")
	for _, own := range s.user {
		if section, _, name := own.parts(); section == "credential" && name == "helper" && !strings.Contains(own.key, "=") {
			s.off = append(s.off, "-c", own.key+"="+own.value)
		}
	}
}

// remote classifies a setting of a remote.
func (s *Settings) remote(one setting, name string) {
	switch name {
	case "vcs", "proxy", "proxyauthmethod":
		s.refuse(one)
	case "uploadpack", "receivepack": // git uses the first value, so calls that use the remote pass an option instead
		s.note(one)
		s.programs = append(s.programs, one)
	case "promisor":
		s.promisor = true
	case "mirror":
		s.override(one.key, "false", one)
	}
}

// strategies are the built-in merge strategies; every other name is a program.
var strategies = []string{"ort", "octopus", "ours", "recursive", "resolve", "subtree"}

// checkStrategies refuses a repository that names other merge strategies. Git uses the first value of the key, so it cannot be
// overridden.
func (s *Settings) checkStrategies(one setting) {
	for name := range strings.FieldsSeq(one.value) {
		if !slices.Contains(strategies, name) {
			s.unsafe = &Unsafe{fmt.Sprintf("the configuration of the repository sets %s to %.100q, which is a program", one.key, name), "Ask the user to remove it from .git/config."}
		}
	}
}

// finish classifies settings that matter in combination: git fetches missing objects of a partial clone from the promisor
// remote, whichever remote a call names, with the program of that remote.
func (s *Settings) finish(brought []setting) {
	s.setFilters(brought)
	for _, one := range s.programs {
		if s.promisor {
			s.refuse(one)
		}
	}
}

// turnOff overrides a key with the value of the user's own configuration, or with a harmless value.
func (s *Settings) turnOff(one setting, harmless string) {
	if own, ok := s.userValue(one.key); ok {
		harmless = own
	}
	if one.value == harmless {
		return
	}
	s.note(one)
	s.override(one.key, harmless, one)
}

// userValue returns the value of a key in the user's own configuration.
func (s *Settings) userValue(key string) (value string, ok bool) {
	for _, own := range s.user {
		if own.key == key {
			value, ok = own.value, true
		}
	}
	return value, ok
}

func (s *Settings) override(key, value string, one setting) {
	if strings.ContainsAny(key, "=\n") {
		s.unsafe = &Unsafe{fmt.Sprintf("the configuration of the repository sets %q, which runs a program and cannot be turned off because of its name", one.key),
			"Ask the user to rename it, or to move it to their own configuration (git config --global)."}
		return
	}
	s.off = append(s.off, "-c", key+"="+value)
}

func (s *Settings) note(one setting) {
	if !slices.Contains(s.Off, one.key) {
		s.Off = append(s.Off, one.key)
	}
}

func (s *Settings) refuse(one setting) {
	if !slices.Contains(s.Refused, one.key) {
		s.Refused = append(s.Refused, one.key)
	}
}
