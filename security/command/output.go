package command

import (
	"encoding/base64"
	"encoding/hex"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
)

// echoed is what echo writes. Whether it takes escapes depends on the shell; where both are possible it does.
func echoed(args []string) string {
	escapes := false
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' && strings.Trim(args[0][1:], "neE") == "" {
		escapes = escapes || strings.Contains(args[0], "e")
		args = args[1:]
	}
	text := plain(strings.Join(args, " "))
	if escapes || strings.Contains(text, `\`) {
		text = unescaped(text)
	}
	return text + "\n"
}

// printed is what printf writes.
func printed(args []string) string {
	if len(args) == 0 {
		return ""
	}
	if args[0] == "--" && len(args) > 1 {
		args = args[1:]
	}
	format, args := args[0], args[1:]
	if !known(format) {
		return taint(format)
	}
	var out strings.Builder
	for range 64 {
		text, used, err := expand.Format(nil, format, slices.Concat(args, []string{}))
		if err != nil {
			return taint(strings.Join(args, ""))
		}
		out.WriteString(text)
		if used == 0 || used >= len(args) || out.Len() > maxScript {
			break
		}
		args = args[used:]
	}
	return out.String()
}

// output is what a program writes, as far as it matters what that is: names of files, text that is passed on or decoded.
func (r *reader) output(base string, argv []string, in string) string {
	args := argv[1:]
	found, operands := options(args, " -n -c -f -d -e -m -A -B -C -k -t ", false)
	switch base {
	case "pwd":
		dir, _ := r.value("PWD")
		return dir + "\n"
	case "echo":
		return echoed(args)
	case "printf":
		return printed(args)
	case "cat", "tee", "sponge", "bat":
		if len(operands) > 0 && base != "tee" {
			return r.contents(operands)
		}
		return in
	case "base64", "base32", "openssl", "xxd", "uudecode", "zcat", "gzcat", "xzcat", "gunzip", "gzip", "bunzip2", "xz", "unxz", "zstd", "lzma", "brotli", "gpg", "age":
		return decoded(base, args, found, in)
	case "rev":
		return reversed(in)
	case "tac", "sort", "uniq", "head", "tail", "grep", "egrep", "fgrep", "rg", "shuf", "nl", "fold", "fmt", "less", "more", "pv", "column":
		return filtered(in, operands, base)
	case "tr", "sed", "awk", "gawk", "mawk", "perl", "python", "python3", "ruby", "node", "cut", "jq", "yq":
		if in != unknown && known(in) && base != "cut" && base != "jq" && base != "yq" {
			return foreign // changed in a way that is not followed
		}
		return taint(in)
	case "curl", "wget", "nc", "ncat", "netcat", "socat", "telnet", "ftp", "lynx", "w3m", "http", "https", "xh", "aria2c", "fetch", "dig", "nslookup", "host", "iwr":
		return foreign
	case "git":
		if slices.Contains(args, "--show-toplevel") {
			return r.projectDir() + "\n"
		}
		if slices.Contains(args, "ls-files") || slices.Contains(args, "diff") || slices.Contains(args, "rev-list") || slices.Contains(args, "branch") || slices.Contains(args, "status") {
			return inner + "\n"
		}
	case "yes":
		if len(operands) > 0 {
			return strings.Join(operands, " ") + "\n"
		}
		return "y\n"
	}
	return named(base, args, operands)
}

// named is the output of programs that write names, numbers or commands for the shell.
func named(base string, args, operands []string) string {
	switch base {
	case "which", "whereis":
		if len(operands) > 0 {
			return operands[len(operands)-1] + "\n"
		}
	case "basename":
		if len(operands) > 0 && certain(operands[0]) {
			return operands[0][strings.LastIndexByte(operands[0], '/')+1:] + "\n"
		}
		return inner + "\n"
	case "dirname":
		if len(operands) > 0 && certain(operands[0]) {
			return path.Dir(operands[0]) + "\n"
		}
	case "readlink", "realpath":
		if len(operands) > 0 {
			return operands[len(operands)-1] + "\n"
		}
	case "mktemp":
		return "/tmp/" + inner + "\n"
	case "seq", "nproc", "wc", "date", "id", "whoami", "hostname", "uname", "pgrep", "lsof", "pidof", "stat", "du", "arch", "tty", "jot", "sha256sum", "md5sum":
		return inner + "\n"
	case "ls", "dir":
		return listing(options(args, "", false))
	case "ssh-agent", "dircolors", "lesspipe", "keychain":
		return hook
	case "direnv", "rbenv", "pyenv", "nodenv", "goenv", "jenv", "brew", "opam", "minikube", "docker-machine", "podman", "conda", "mamba", "starship",
		"zoxide", "fnm", "mise", "asdf", "volta", "perlbrew", "luarocks", "kubectl", "helm", "gh", "pip", "npm", "thefuck":
		for _, verb := range []string{"init", "hook", "env", "shellenv", "completion", "completions", "activate", "docker-env", "shell.bash",
			"shell.zsh", "shell.posix", "path", "setup", "--alias"} {
			if slices.Contains(args, verb) {
				return hook
			}
		}
	}
	return unknown
}

// projectDir is the directory of the project that the command works in; the work tree of git is taken to be that.
func (r *reader) projectDir() string {
	for _, dir := range r.project {
		if below(r.dir, dir, false) {
			return dir
		}
	}
	return r.dir
}

// contents is what the files have that the script itself wrote.
func (r *reader) contents(names []string) string {
	var out strings.Builder
	for _, name := range names {
		out.WriteString(r.content(name))
	}
	return out.String()
}

// decoded is what a decoder or an uncompressing program makes of its input.
func decoded(base string, args []string, found []option, in string) string {
	_, decode := has(found, "-d", "-D", "--decode", "-r")
	switch base {
	case "base64", "base32", "xxd", "gzip", "xz", "zstd", "lzma", "brotli", "age":
		if !decode {
			return unknown
		}
	}
	if known(in) {
		text := strings.Join(strings.Fields(in), "")
		switch base {
		case "base64", "openssl":
			if out, err := base64.StdEncoding.DecodeString(text); err == nil && len(out) > 0 {
				return cleaned(string(out))
			}
		case "xxd":
			if out, err := hex.DecodeString(text); err == nil && len(out) > 0 && slices.ContainsFunc(args, func(arg string) bool { return strings.Contains(arg, "p") }) {
				return cleaned(string(out))
			}
		}
	}
	return foreign
}

func reversed(text string) string {
	if !known(text) {
		return taint(text)
	}
	var out strings.Builder
	for line := range strings.Lines(text) {
		runes := []rune(strings.TrimSuffix(line, "\n"))
		slices.Reverse(runes)
		out.WriteString(string(runes) + "\n")
	}
	return out.String()
}

// filtered is some of the lines of what a program reads, or names of files if those were given to it.
func filtered(in string, operands []string, base string) string {
	if strings.HasSuffix(base, "grep") || base == "rg" {
		operands = operands[min(1, len(operands)):]
	}
	if len(operands) > 0 {
		return unknown
	}
	if strings.HasSuffix(base, "grep") || base == "rg" || base == "head" || base == "tail" {
		return strings.ReplaceAll(in, star, inner) // some of the names
	}
	return in
}

// listing is what ls writes: everything in a directory, or what it was asked for.
func listing(found []option, operands []string) string {
	if len(operands) == 0 {
		return star + "\n"
	}
	_, itself := has(found, "-d", "--directory")
	var out strings.Builder
	for _, operand := range operands {
		if itself || strings.ContainsAny(operand, globs) {
			out.WriteString(operand + "\n")
		} else {
			out.WriteString(star + "\n")
		}
	}
	return out.String()
}
