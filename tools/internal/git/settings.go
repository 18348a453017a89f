package git

import (
	"fmt"
	"slices"
	"strings"
)

// Settings are the settings that a repository brings: its configuration with all included files, and that of the work tree.
type Settings struct {
	// Off are the keys that do not hold, because they name programs.
	Off []string
	// Filters are the names of the filters among them that the user's own configuration does not define. Files with one of them
	// differ from the commit, and are written to the work tree as they are committed.
	Filters []string
	// Refused are keys that cannot be overruled and matter where another machine is spoken to.
	Refused []string
	// IgnoreRevs are the files that blame.ignoreRevsFile names. Git reads them and shows the first line that is no commit.
	IgnoreRevs []string

	user     []setting // the user's own
	off      []string  // arguments of git
	replays  bool      // the user's helpers for passwords are given again
	unsafe   *Unsafe   // a setting that no argument overrules
	programs []setting // at the other end of remotes
	promisor bool      // a remote has objects that are missing here
}

// setting is a key of the configuration with its value, and the file in which it stands.
type setting struct{ key, value, origin string }

// parts are the section of a key, the part between it and the last word, and the last word.
func (s setting) parts() (section, middle, name string) {
	section, rest, _ := strings.Cut(s.key, ".")
	if at := strings.LastIndexByte(rest, '.'); at >= 0 {
		return strings.ToLower(section), rest[:at], strings.ToLower(rest[at+1:])
	}
	return strings.ToLower(section), "", strings.ToLower(rest)
}

// User is the value that the user's own configuration has for a key in lower case, "" if it has none.
func (s *Settings) User(key string) string {
	value, _ := s.users(key)
	return value
}

// always are settings that hold for every repository: output has one form, and a command does nothing beside its task.
func always() []string {
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

// textMerge merges files line by line, as git does without a driver. A driver that did nothing would make conflicts look
// resolved.
const textMerge = "git merge-file --marker-size=%L %A %O %B"

// classify turns a setting of the repository off if it has git run or trust something.
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
		if name == "allow" { // the environment overrules it
			s.note(one)
		}
	case "extensions":
		s.promisor = s.promisor || name == "partialclone"
	case "lfs": // read by git-lfs, which may be a filter of the user's
		if slices.Contains([]string{"path", "args", "clean", "smudge", "standalonetransferagent"}, name) || runsSomething(name) {
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
		if !slices.Contains(unused, section) && runsSomething(name) {
			s.turnOff(one, "")
		}
	}
}

// core are settings of the section of that name that run something.
func (s *Settings) core(one setting, name string) {
	switch name {
	case "fsmonitor", "hookspath": // always overruled
		if one.value != "false" && one.value != "" {
			s.note(one)
		}
	case "sshcommand", "editor", "pager", "askpass", "gitproxy": // the environment overrules them
		s.note(one)
	case "alternaterefscommand":
		s.turnOff(one, "true")
	case "protecthfs", "protectntfs": // always overruled
	}
}

// gpgPrograms are the programs that sign and check, by the keys that name others.
var gpgPrograms = map[string]string{
	".program": "gpg", "openpgp.program": "gpg", "x509.program": "gpgsm", "ssh.program": "ssh-keygen", "ssh.defaultkeycommand": "",
}

// harmlessHTTP are settings that can neither lead a connection elsewhere nor make one that need not be trusted.
var harmlessHTTP = []string{"extraheader", "postbuffer", "useragent", "version", "lowspeedlimit", "lowspeedtime", "maxrequests", "minsessions", "emptyauth", "noepsv"}

// unused are sections that no command which is used here looks at.
var unused = []string{
	"alias", "pager", "sequence", "interactive", "difftool", "mergetool", "guitool", "gui", "sendemail", "instaweb", "web", "browser", "man", "help",
	"gitcvs", "imap", "submodule", "trailer", "uploadpack", "receive", "tar", "svn-remote", "include", "includeif",
}

// runsSomething tells whether the last word of a key that is not known says that its value is run.
func runsSomething(name string) bool {
	for _, end := range []string{"command", "cmd", "program", "helper", "driver", "hook", "process", "exec", "editor"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

// filterPrograms are the words of a filter that name programs.
var filterPrograms = []string{"clean", "smudge", "process"}

func (s *Settings) filter(one setting, name string) {
	switch {
	case slices.Contains(filterPrograms, name):
		s.turnOff(one, "")
	case name == "required":
		if own, ok := s.users(one.key); ok {
			s.override(one.key, own, one)
		} else {
			s.override(one.key, "false", one)
		}
	}
}

// setFilters collects the filters that are turned off.
func (s *Settings) setFilters(brought []setting) {
	for _, one := range brought {
		section, filter, name := one.parts()
		if section != "filter" || one.value == "" || !slices.Contains(filterPrograms, name) || slices.Contains(s.Filters, filter) {
			continue
		}
		if !slices.ContainsFunc(filterPrograms, func(program string) bool { _, ok := s.users("filter." + filter + "." + program); return ok }) {
			s.Filters = append(s.Filters, filter)
		}
	}
}

// helpers forgets all helpers for passwords and names the user's own again.
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

func (s *Settings) remote(one setting, name string) {
	switch name {
	case "vcs", "proxy", "proxyauthmethod":
		s.refuse(one)
	case "uploadpack", "receivepack": // git takes the first value, so that calls which speak to the remote give the option for it
		s.note(one)
		s.programs = append(s.programs, one)
	case "promisor":
		s.promisor = true
	case "mirror":
		s.override(one.key, "false", one)
	}
}

// strategies are the merge strategies of git itself; every other name is that of a program.
var strategies = []string{"ort", "octopus", "ours", "recursive", "resolve", "subtree"}

// checkStrategies refuses a repository that names other strategies for merges: git takes the first value of the key, not the last.
func (s *Settings) checkStrategies(one setting) {
	for name := range strings.FieldsSeq(one.value) {
		if !slices.Contains(strategies, name) {
			s.unsafe = &Unsafe{fmt.Sprintf("the configuration of the repository sets %s to %.100q, which is a program", one.key, name), "Ask the user to remove it from .git/config."}
		}
	}
}

// finish judges settings that matter together: the objects that a partial clone lacks are fetched from another remote than the one that
// a call names, with the program of that remote.
func (s *Settings) finish(brought []setting) {
	s.setFilters(brought)
	for _, one := range s.programs {
		if s.promisor {
			s.refuse(one)
		}
	}
}

// turnOff gives a key the value that the user's own configuration has for it, or else a harmless one.
func (s *Settings) turnOff(one setting, harmless string) {
	if own, ok := s.users(one.key); ok {
		harmless = own
	}
	if one.value == harmless {
		return
	}
	s.note(one)
	s.override(one.key, harmless, one)
}

// users is the value that the user's own configuration has for a key.
func (s *Settings) users(key string) (value string, ok bool) {
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
