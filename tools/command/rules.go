package command

import (
	"slices"
	"strings"
)

// rules refuses a program that is dangerous with these arguments.
func (k *checker) rules(base string, argv []string, underSudo bool) {
	switch base {
	case "cd", "pushd", "popd":
		k.changeDir(argv)
	case "rm", "unlink", "shred", "rmdir":
		if underSudo {
			k.refuse(ruleDelete, argv, "it deletes with the rights of the administrator")
		}
		k.remove(argv, false)
	case "rimraf":
		k.remove(argv, true)
	case "chmod", "chown", "chgrp":
		k.rights(argv)
	case "dd":
		for _, arg := range argv[1:] {
			if name, ok := strings.CutPrefix(arg, "of="); ok {
				k.write(argv, name)
			} else if strings.HasPrefix(arg, "if=") {
				k.refuse(ruleDevice, argv, "dd copies raw blocks; head -c, truncate or cp do that for files")
			}
		}
	case "tee", "truncate", "cp", "mv":
		_, operands := options(argv[1:], " -s --size -r --reference -S --suffix -t --target-directory ", false)
		if last := len(operands) - 1; last > 0 && (base == "cp" || base == "mv") {
			operands = operands[last:]
		}
		for _, operand := range operands {
			k.write(argv, operand)
		}
	case "cmd", "powershell", "pwsh", "format", "del", "erase", "rd", "diskpart", "remove-item", "format-volume", "clear-disk", "stop-computer", "restart-computer":
		k.windowsText(strings.Join(argv, " "))
	default:
		k.system(base, argv)
	}
}

// changeDir follows cd as far as its directory is known.
func (k *checker) changeDir(argv []string) {
	_, operands := options(argv[1:], "", false)
	switch {
	case argv[0] == "popd", len(operands) > 0 && operands[0] == "-":
		k.dir = ""
	case len(operands) == 0 && argv[0] == "cd":
		k.dir = k.home
	case len(operands) > 0:
		abs, ok := k.absolute(operands[0])
		if k.dir = abs; !ok || !known(abs) {
			k.dir = ""
		}
	}
}

// remove checks programs that delete.
func (k *checker) remove(argv []string, recursive bool) {
	found, operands := options(argv[1:], " -n --iterations -s --size ", false)
	for _, o := range found {
		switch {
		case len(o.name) > 5 && strings.HasPrefix("--no-preserve-root", o.name):
			k.refuse(ruleDelete, argv, "it asks for the deletion of the root directory")
		case o.name == "-r" || o.name == "-R" || len(o.name) > 3 && strings.HasPrefix("--recursive", o.name):
			recursive = true
		}
	}
	for _, operand := range operands {
		abs, ok := k.absolute(operand)
		if recursive || ok && wildcardParent(abs) == "/" || ok && wildcardParent(abs) != abs && wildcardParent(abs) == k.home {
			k.deleteTree(argv, operand)
		} else if ok {
			k.device(argv, abs)
		}
	}
}

func (k *checker) deleteTrees(argv, names []string) {
	for _, name := range names {
		k.deleteTree(argv, name)
	}
}

// deleteTree checks the deletion of a path with all that is in it.
func (k *checker) deleteTree(argv []string, name string) {
	if rest, ok := strings.CutPrefix(name, unknown); ok && strings.HasPrefix(rest, "/") && strings.Trim(wildcardParent(rest), "/") == "" {
		k.refuse(ruleDelete, argv, "%q means everything on the machine if the variable is empty", clip(name))
	}
	if abs, ok := k.absolute(name); ok && name != "" {
		if why := k.undeletable(abs); why != "" {
			k.refuse(ruleDelete, argv, "it deletes %q, %s", clip(abs), why)
		}
	}
}

// write checks a file that is written.
func (k *checker) write(argv []string, name string) {
	abs, ok := k.absolute(name)
	if !ok || name == "" {
		return
	}
	if k.device(argv, abs); !k.done() {
		if why := k.protected(abs); why != "" {
			k.refuse(ruleWrite, argv, "it changes %q, %s", clip(abs), why)
		}
	}
}

// device refuses a device that is written or deleted, unless it has no content.
func (k *checker) device(argv []string, abs string) {
	name, ok := strings.CutPrefix(abs, "/dev/")
	if !ok {
		return
	}
	switch name {
	case "null", "zero", "full", "stdout", "stderr", "stdin", "random", "urandom", "ptmx":
		return
	}
	for _, harmless := range []string{"fd/", "pts/", "shm/", "tcp/", "udp/", "tty", "snd/", "video", "mqueue/"} {
		if strings.HasPrefix(name, harmless) {
			return
		}
	}
	k.refuse(ruleDevice, argv, "it writes to the device %q", clip(abs))
}

// rights checks changes of the modes and owners of whole trees.
func (k *checker) rights(argv []string) {
	found, operands := options(argv[1:], " --reference --from ", false)
	recursive := slices.ContainsFunc(found, func(o option) bool {
		return o.name == "-R" || len(o.name) > 4 && strings.HasPrefix("--recursive", o.name)
	})
	for _, operand := range operands[min(1, len(operands)):] { // behind the mode or the owner
		abs, ok := k.absolute(operand)
		if !ok {
			continue
		}
		abs = wildcardParent(abs)
		ofHome := below(k.home, abs) && (abs == k.home || !k.inProject(abs))
		if abs == "/" || recursive && (ofHome || k.ofSystem(abs) && depth(abs) <= 2) {
			k.refuse(ruleRights, argv, "it changes the rights of %q and all that is in it", clip(abs))
		}
	}
}

// system checks programs that control disks and the machine. Calls that only ask pass.
func (k *checker) system(base string, argv []string) {
	args := argv[1:]
	asks := slices.ContainsFunc(args, func(arg string) bool {
		return slices.Contains([]string{"--help", "-h", "--version", "-V", "-l", "--list", "print", "list"}, arg)
	})
	switch base {
	case "mke2fs", "mkswap", "mkntfs", "mkdosfs", "wipefs", "blkdiscard", "fdisk", "sfdisk", "cfdisk", "gdisk", "sgdisk", "parted":
		if !asks {
			k.refuse(ruleDevice, argv, "it changes disks or partitions")
		}
	case "shutdown", "reboot", "halt", "poweroff", "telinit":
		if !slices.Contains(args, "--help") && !slices.Contains(args, "--version") && !slices.Contains(args, "-c") {
			k.refuse(ruleSystem, argv, "it stops or restarts the machine")
		}
	case "init", "systemctl":
		if !asks && slices.ContainsFunc(args, func(arg string) bool { return slices.Contains([]string{"0", "6", "poweroff", "reboot", "halt"}, arg) }) {
			k.refuse(ruleSystem, argv, "it stops or restarts the machine")
		}
	case "kill":
		for i, arg := range args {
			if arg == "-1" && (i > 0 || len(args) == 1) || arg == "1" && (i == 0 || args[i-1] != "-s" && args[i-1] != "-n") {
				k.refuse(ruleSystem, argv, "it ends every process")
			}
		}
	default:
		if strings.HasPrefix(base, "mkfs") && !asks {
			k.refuse(ruleDevice, argv, "it makes a new file system and destroys the old content")
		}
	}
}
