package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
)

// Disarm turns off what the configuration of the repository itself would have git run, or trust, without anybody's doing: filters,
// merge drivers, helpers for passwords, monitors and the like. What the user's own configuration says stays, and takes the place
// of what is turned off. From then on the repository speaks to no other machine but in calls that allow it with
// RemoteEnv, and nobody is asked anything.
//
// What cannot be overruled is in Settings.Refused, and is the caller's to look at.
func (r *Repository) Disarm(ctx context.Context) (*Settings, error) {
	r.env = append(r.env, kept()...)
	all, err := r.settings(ctx)
	if err != nil {
		return nil, err
	}
	user, err := r.settings(ctx, "--system")
	if err != nil {
		return nil, err
	}
	global, err := r.settings(ctx, "--global")
	if err != nil {
		return nil, err
	}
	user = append(user, global...)
	s := &Settings{user: user}
	for _, one := range all {
		if !slices.Contains(user, one) {
			s.judge(one)
		}
	}
	if s.Unnamable != "" {
		return s, nil
	}
	r.off = append(always(), s.off...)
	return s, nil
}

// Settings are what the configuration of a repository has, and the user's does not.
type Settings struct {
	// Off are the keys that were turned off.
	Off []string
	// Filters are the filters among them.
	Filters []string
	// Refused are keys that cannot be turned off and matter where another machine is spoken to.
	Refused []string
	// Unnamable is a key that cannot be turned off because of its name; then nothing is.
	Unnamable string

	user    []setting
	off     []string
	replays bool // the user's helpers for passwords are given again
}

// setting is a key of the configuration with its value.
type setting struct{ key, value string }

// parts are the section of a key, what is between it and the last word, and that.
func (s setting) parts() (section, middle, name string) {
	section, rest, _ := strings.Cut(s.key, ".")
	if at := strings.LastIndexByte(rest, '.'); at >= 0 {
		return strings.ToLower(section), rest[:at], strings.ToLower(rest[at+1:])
	}
	return strings.ToLower(section), "", strings.ToLower(rest)
}

// settings lists a part of the configuration, with what it includes.
func (r *Repository) settings(ctx context.Context, scope ...string) ([]setting, error) {
	out, err := r.run(ctx, timeout, slices.Concat([]string{"config", "--includes"}, scope, []string{"--list", "-z"})...)
	if _, failed := errors.AsType[*Failure](err); failed && len(scope) > 0 && ctx.Err() == nil {
		return nil, nil // there is no such file
	}
	if err != nil {
		return nil, fmt.Errorf("reading the configuration of git: %w", err)
	}
	own := make(map[string]bool)
	before := r.options()
	for i := 1; i < len(before); i++ {
		own[before[i]] = before[i-1] == "-c"
	}
	var all []setting
	for line := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		key, value, _ := strings.Cut(line, "\n")
		if key == "" || ownSetting(own, key, value) {
			continue
		}
		all = append(all, setting{key, value})
	}
	return all, nil
}

// ownSetting tells whether a setting is one that was given with the command. Git tells keys in lower case.
func ownSetting(own map[string]bool, key, value string) bool {
	for text, is := range own {
		k, v, _ := strings.Cut(text, "=")
		if is && strings.EqualFold(k, key) && v == value {
			return true
		}
	}
	return false
}

// keptVariables are those by which users tell git where their configuration is and who they are.
var keptVariables = []string{
	"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM",
	"GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL",
}

// kept are variables of this program that hold here, and those by which nobody is asked, and nobody else spoken to.
func kept() []string {
	env := []string{
		"GIT_ASKPASS=", "SSH_ASKPASS=", "SSH_ASKPASS_REQUIRE=never", "GCM_INTERACTIVE=never",
		"GIT_EDITOR=:", "GIT_SEQUENCE_EDITOR=:", "GIT_PAGER=cat", "GIT_PROXY_COMMAND=",
		"GIT_ALLOW_PROTOCOL=none", "GIT_NO_LAZY_FETCH=1", "GIT_MERGE_AUTOEDIT=no",
	}
	for _, name := range keptVariables {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// always are settings that hold for every repository: what is read is in one form, and nothing is done beside what was asked for.
func always() []string {
	var off []string
	for _, s := range []string{
		"color.ui=never", "color.diff=never", "color.branch=never", "color.status=never", "color.push=never", "color.remote=never", "color.transport=never", "color.advice=never",
		"column.ui=never", "diff.relative=false", "diff.suppressBlankEmpty=false", "diff.renames=true", "diff.colorMoved=no", "diff.interHunkContext=0", "log.showSignature=false", "log.follow=false",
		"status.submoduleSummary=false", "submodule.recurse=false", "fetch.recurseSubmodules=false", "push.recurseSubmodules=no", "push.followTags=false",
		"push.gpgSign=false", "push.autoSetupRemote=false", "merge.autoStash=false", "rebase.autoStash=false", "rebase.autoSquash=false", "rebase.updateRefs=false", "rebase.missingCommitsCheck=ignore",
		"core.protectHFS=true", "core.protectNTFS=true", "user.useConfigOnly=true", "rerere.autoUpdate=false", "i18n.commitEncoding=UTF-8", "core.quotePath=false",
	} {
		off = append(off, "-c", s)
	}
	return off
}

// User is the value that the user's own configuration has for a key in lower case, "" if it has none.
func (s *Settings) User(key string) string {
	value, _ := s.users(key)
	return value
}
