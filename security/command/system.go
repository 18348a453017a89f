package command

import (
	"path"
	"slices"
	"strings"
)

// copyBlocks looks at dd and its like.
func (r *reader) copyBlocks(base string, argv []string, in string) {
	if base == "pv" {
		return
	}
	for _, arg := range argv[1:] {
		if name, ok := strings.CutPrefix(arg, "of="); ok {
			r.write(argv, name)
			r.remember(name, in, false)
		}
		if strings.HasPrefix(arg, "if=") {
			r.refuse(ruleDevice, argv, "dd copies raw blocks; head -c, truncate or cp do that for files")
		}
	}
	if base == "ddrescue" && len(argv) > 2 {
		r.write(argv, argv[2])
	}
}

// system looks at programs that control the machine, its disks and its accounts.
func (r *reader) system(base string, argv []string) {
	args := argv[1:]
	first := ""
	if len(args) > 0 {
		first = args[0]
	}
	asks := slices.ContainsFunc(args, func(arg string) bool { return arg == "--help" || arg == "-h" || arg == "--version" || arg == "-V" })
	if (strings.HasPrefix(base, "mkfs") || strings.HasPrefix(base, "newfs")) && !(asks && len(args) == 1) {
		r.refuse(ruleDevice, argv, "it makes a new file system, and what was there is lost")
		return
	}
	if r.disks(base, argv, asks); r.done() {
		return
	}
	switch base {
	case "shutdown", "reboot", "halt", "poweroff", "telinit", "kexec", "pm-suspend", "pm-hibernate", "stop-computer", "restart-computer", "killall5":
		if first != "--help" && first != "--version" && first != "-c" {
			r.refuse(ruleSystem, argv, "it stops or restarts the machine")
		}
	case "init":
		if first == "0" || first == "6" || first == "1" || first == "s" || first == "S" {
			r.refuse(ruleSystem, argv, "it stops or restarts the machine")
		}
	case "systemctl", "loginctl":
		for _, verb := range []string{"poweroff", "reboot", "halt", "kexec", "suspend", "hibernate", "hybrid-sleep", "rescue", "emergency", "soft-reboot",
			"isolate", "terminate-user", "kill-user", "exit", "poweroff.target", "reboot.target", "halt.target", "shutdown.target", "rescue.target"} {
			if slices.Contains(args, verb) && !asks {
				r.refuse(ruleSystem, argv, "it stops or restarts the machine")
			}
		}
	case "kill", "skill":
		r.kill(argv)
	case "pkill", "killall":
		found, operands := options(args, " -u -U -g -G -s -t -P --signal ", false)
		_, byUser := has(found, "-u", "-U", "-v")
		if byUser && len(operands) == 0 || slices.Contains(operands, ".") || slices.Contains(operands, ".*") || slices.Contains(operands, "") || slices.Contains(operands, "init") || slices.Contains(operands, "systemd") {
			r.refuse(ruleSystem, argv, "it ends every process")
		}
	case "format":
		if len(first) == 2 && first[1] == ':' {
			r.refuse(ruleDevice, argv, "it formats a drive")
		}
	case "userdel", "groupdel", "chpasswd", "visudo", "vipw", "usermod", "insmod", "modprobe", "rmmod", "sysctl", "setenforce":
		if !asks && first != "-a" && first != "-n" && (base != "sysctl" || slices.Contains(args, "-w")) {
			r.doubt(argv, "it changes accounts or the kernel")
		}
	case "ld-linux.so", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1", "ld-linux.so.2", "ld-musl-x86_64.so.1":
		r.nested(args, unknown, argv[:1])
	}
}

// disks looks at programs that change disks and partitions.
func (r *reader) disks(base string, argv []string, asks bool) {
	args := argv[1:]
	first := append(args[:len(args):len(args)], "")[0]
	switch base {
	case "mke2fs", "mkswap", "mkntfs", "mkdosfs", "wipefs", "blkdiscard", "fdisk", "sfdisk", "cfdisk", "gdisk", "sgdisk", "parted", "partprobe",
		"hdparm", "badblocks", "lvremove", "vgremove", "pvremove", "pvcreate", "diskpart", "bcdedit", "nvme", "flashrom", "fwupdtool":
		if first != "-l" && first != "--list" && !slices.Contains(args, "print") && first != "list" && !asks {
			r.refuse(ruleDevice, argv, "it changes disks or partitions")
		}
	case "zpool", "zfs", "cryptsetup", "mdadm", "diskutil", "btrfs", "efibootmgr", "grub-install":
		for _, verb := range []string{"destroy", "luksFormat", "luksErase", "erase", "--zero-superblock", "eraseDisk", "eraseVolume", "partitionDisk",
			"secureErase", "zeroDisk", "reformat", "deleteVolume", "deleteContainer", "-B"} {
			if slices.Contains(args, verb) {
				r.refuse(ruleDevice, argv, "it destroys disks or partitions")
			}
		}
	}
}

// kill looks for signals to every process, or to the first.
func (r *reader) kill(argv []string) {
	for i, arg := range argv[1:] {
		all := arg == "-1" && (i > 0 || len(argv) == 2) || arg == "1" && (i == 0 || argv[i] != "-s")
		if all || arg == "-"+unknown && r.strict() {
			r.refuse(ruleSystem, argv, "it ends every process")
		}
	}
}

// remoteOrLater looks at programs that give a shell to the network or run commands later.
func (r *reader) remoteOrLater(base string, argv []string, in string) {
	args := argv[1:]
	switch base {
	case "crontab":
		if !slices.Contains(args, "-l") {
			r.refuse(ruleSchedule, argv, "it changes what runs by the clock")
		}
	case "schtasks":
		if slices.ContainsFunc(args, func(arg string) bool { return strings.EqualFold(arg, "/create") || strings.EqualFold(arg, "/change") }) {
			r.refuse(ruleSchedule, argv, "it changes what runs by the clock")
		}
	case "at", "batch":
		if in == unknown && !slices.Contains(args, "-l") {
			r.doubt(argv, "what it runs later is not known")
		} else if in != unknown {
			r.nestedScript(in, "", base)
		}
	case "socat":
		for _, arg := range args {
			if upper := strings.ToUpper(arg); strings.HasPrefix(upper, "EXEC:") || strings.HasPrefix(upper, "SYSTEM:") || strings.HasPrefix(upper, "SHELL:") {
				r.refuse(ruleRemote, argv, "it gives a program to the network")
			}
		}
	default:
		found, _ := options(args, " -p -s -w -i -q -X -x -T -e -c --exec --sh-exec ", false)
		if _, ok := has(found, "-e", "-c", "--exec", "--sh-exec"); ok {
			r.refuse(ruleRemote, argv, "it gives a program to the network")
		}
	}
}

// download remembers which files come from the network.
func (r *reader) download(base string, argv []string) {
	found, operands := options(argv[1:], " -o --output -O --output-document -H --header -d --data --data-raw --data-binary -X --request -u --user -A --user-agent -e --referer -F --form -b --cookie -c --cookie-jar -T --upload-file -K --config -x --proxy -m --max-time --connect-timeout --retry -w --write-out -P --directory-prefix --output-dir -t --tries --timeout --cacert --cert --key ", false)
	name, ok := has(found, "-o", "--output", "--output-document")
	if base == "wget" {
		name, ok = has(found, "-O", "--output-document")
		if _, log := has(found, "-o"); log && !ok {
			ok = false
		}
	} else if _, remote := has(found, "-O", "--remote-name"); remote && !ok {
		// curl -O takes no value: the options were read as those of wget.
		for _, o := range found {
			if o.name == "-O" && strings.Contains(o.value, "/") {
				operands = append(operands, o.value)
			}
		}
	}
	if ok && name != "-" {
		r.write(argv, name)
		r.remember(name, foreign, false)
		return
	}
	dir, _ := has(found, "-P", "--directory-prefix", "--output-dir")
	for _, operand := range operands {
		if i := strings.LastIndexByte(operand, '/'); i >= 0 {
			r.remember(path.Join(dir, operand[i+1:]), foreign, false)
		}
	}
}

// suffix finds a dangerous command at the end of the arguments of a program that is not known to run others.
func (r *reader) suffix(base string, argv []string) {
	switch base {
	case "man", "which", "type", "whereis", "apropos", "info", "help", "tldr", "grep", "egrep", "fgrep", "rg", "ag", "ack", "apt", "apt-get", "brew", "dnf",
		"yum", "pacman", "apk", "pip", "pip3", "go", "cargo", "cat", "less", "head", "tail", "ls", "wc", "sort", "diff", "jq", "code", "touch",
		"mkdir", "file", "stat", "basename", "dirname", "wall", "logger", "notify-send", "say", "cowsay", "gh", "glab", "hg", "svn", "dpkg", "rpm", "test":
		return
	}
	for i := 1; i < len(argv) && !r.done(); i++ {
		switch inner := program(argv[i]); inner {
		case "rm", "dd", "shred", "chmod", "chown", "mv":
			if i+1 < len(argv) {
				r.through = append(r.through, argv[0])
				r.rules(inner, argv[i:], unknown)
				r.through = r.through[:len(r.through)-1]
			}
		case "sh", "bash", "zsh", "dash":
			if i+1 < len(argv) && strings.HasPrefix(argv[i+1], "-") && strings.Contains(argv[i+1], "c") {
				r.nested(argv[i:], unknown, argv[:1])
			}
		}
		if text := argv[i]; strings.ContainsAny(text, " \t") && strings.Contains(text, "rm ") || strings.Contains(text, "mkfs") || strings.Contains(text, "of=/dev/") {
			if _, value, ok := strings.Cut(text, "="); ok && strings.HasPrefix(text, "-") {
				text = value
			}
			r.suspected(text, argv[0])
		}
	}
}

// suspected looks at a text that may be a script: only what would certainly harm is refused.
func (r *reader) suspected(text, by string) {
	r.cost(text)
	if !known(text) || !r.step() {
		return
	}
	lenient := *r.policy
	lenient.Strict, lenient.Allowed = false, nil
	dir, _ := r.value("PWD")
	inner := &reader{policy: &lenient, shell: r.shell, project: r.project, dir: dir, home: r.home, env: r.env, steps: r.steps, depth: r.depth + 1, remote: r.remote, through: []string{by}}
	if file, err := parse(text, "sh"); err == nil {
		inner.statements(file.Stmts, unknown)
	}
	r.steps = inner.steps
	if inner.refusal != nil && r.refusal == nil {
		r.refusal = inner.refusal
	}
}
