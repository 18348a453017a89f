package git

import (
	"slices"
	"strings"
)

// textMerge merges files line by line, as git does without a driver. A driver that did nothing would make conflicts look
// resolved.
const textMerge = "git merge-file --marker-size=%L %A %O %B"

// judge turns a setting of the repository off if it has git run or trust something.
func (s *Settings) judge(one setting) {
	section, middle, name := one.parts()
	switch section {
	case "core":
		s.core(one, name)
	case "filter":
		s.filter(one, middle, name)
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

func (s *Settings) filter(one setting, middle, name string) {
	switch name {
	case "clean", "smudge", "process":
		s.turnOff(one, "")
		if _, users := s.users(one.key); one.value != "" && !users && !slices.Contains(s.Filters, middle) {
			s.Filters = append(s.Filters, middle)
		}
	case "required":
		if own, ok := s.users(one.key); ok {
			s.override(one.key, own, one)
		} else {
			s.override(one.key, "false", one)
		}
	}
}

// helpers forgets all helpers for passwords and names those of the user again.
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
	case "uploadpack", "receivepack": // overruled where another machine is spoken to
		s.note(one)
	case "mirror":
		s.override(one.key, "false", one)
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
		s.Unnamable = one.key
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
