package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Where the file systems are while the new one is made.
const (
	staging = "/tmp"
	oldRoot = "/old"
	newRoot = "/new"
)

// makeRoot exchanges the file system of this process, which has a mount namespace of its own, for one of the steps.
func makeRoot(steps []mount) error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("separate mounts: %w", err)
	}
	if err := unix.Mount("tmpfs", staging, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=0755"); err != nil {
		return fmt.Errorf("mount the new root: %w", err)
	}
	for _, name := range []string{oldRoot, newRoot} {
		if err := unix.Mkdir(staging+name, 0o755); err != nil {
			return err
		}
	}
	if err := unix.PivotRoot(staging, staging+oldRoot); err != nil {
		return fmt.Errorf("change the root: %w", err)
	}
	if err := errors.Join(unix.Chdir("/"), unix.Mount(newRoot, newRoot, "", unix.MS_BIND, "")); err != nil {
		return fmt.Errorf("mount the new root: %w", err)
	}
	root, err := unix.Open(newRoot, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	b := builder{root}
	for _, step := range steps {
		if err := b.do(step); err != nil {
			return fmt.Errorf("%s %s: %w", step.Op, step.Target, err)
		}
	}
	if err := unix.MountSetattr(root, "", unix.AT_EMPTY_PATH, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}); err != nil {
		return fmt.Errorf("make the new root read-only: %w", err)
	}
	if err := errors.Join(unix.Fchdir(root), unix.PivotRoot(".", "."), unix.Unmount(".", unix.MNT_DETACH), unix.Chdir("/")); err != nil {
		return fmt.Errorf("leave the old root: %w", err)
	}
	return unix.Close(root)
}

// builder makes steps below an open directory. It follows no symbolic link inside: commands before this one may have made them.
type builder struct{ root int }

func (b builder) do(step mount) error {
	const safe = unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV
	outside := filepath.Join(oldRoot, step.Source)
	switch step.Op {
	case bind:
		return b.bind(outside, step.Target, unix.MountAttr{Attr_set: safe})
	case bindRead:
		return b.bind(outside, step.Target, unix.MountAttr{Attr_set: safe | unix.MOUNT_ATTR_RDONLY})
	case guard:
		return b.cover(step.Target, unix.MountAttr{Attr_set: safe})
	case guardRead:
		return b.cover(step.Target, unix.MountAttr{Attr_set: safe | unix.MOUNT_ATTR_RDONLY})
	case guardOpen:
		return b.cover(step.Target, unix.MountAttr{Attr_set: safe, Attr_clr: unix.MOUNT_ATTR_RDONLY})
	case overLink:
		return b.coverWithLink(step.Source, step.Target, unix.MountAttr{Attr_set: safe})
	case empty:
		if step.Source != "" {
			return b.bind(outside, step.Target, unix.MountAttr{Attr_set: safe | unix.MOUNT_ATTR_RDONLY})
		}
		return b.mountNew("tmpfs", step.Target, safe|unix.MOUNT_ATTR_RDONLY, "mode", "0555")
	case tmpfs:
		return b.mountNew("tmpfs", step.Target, safe, "mode", "0755")
	case directory:
		fd, err := b.open(step.Target, unix.S_IFDIR, 0o700)
		return errors.Join(err, closeFD(fd))
	case link:
		return b.link(step.Source, step.Target)
	case procfs:
		return b.proc(step.Target)
	case deviceDir:
		return b.devices(step.Target)
	}
	return errors.New("unknown step")
}

func closeFD(fd int) error {
	if fd < 0 {
		return nil
	}
	return unix.Close(fd)
}

// open opens a path inside, and makes it and the directories that lead to it if they do not exist.
func (b builder) open(path string, kind uint32, perm uint32) (int, error) {
	at, err := unix.Dup(b.root)
	if err != nil {
		return -1, err
	}
	names := strings.Split(strings.Trim(path, "/"), "/")
	for i, name := range names {
		next, err := unix.Openat(at, name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		if errors.Is(err, unix.ENOENT) {
			switch {
			case i < len(names)-1:
				err = unix.Mkdirat(at, name, 0o755)
			case kind == unix.S_IFDIR:
				err = unix.Mkdirat(at, name, perm)
			default:
				err = unix.Mknodat(at, name, unix.S_IFREG|perm, 0)
			}
			if err == nil || errors.Is(err, unix.EEXIST) {
				next, err = unix.Openat(at, name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
			}
		}
		_ = unix.Close(at)
		if err != nil {
			return -1, err
		}
		at = next
		var stat unix.Stat_t
		if err := unix.Fstat(at, &stat); err != nil || stat.Mode&unix.S_IFMT == unix.S_IFLNK {
			_ = unix.Close(at)
			return -1, errors.Join(err, unix.ELOOP)
		}
	}
	return at, nil
}

// bind mounts a path of the old file system.
func (b builder) bind(source, target string, attr unix.MountAttr) error {
	tree, err := unix.OpenTree(unix.AT_FDCWD, source, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
	if err != nil {
		return err
	}
	defer unix.Close(tree)
	var stat unix.Stat_t
	if err := unix.Fstat(tree, &stat); err != nil {
		return err
	}
	fd, err := b.open(target, stat.Mode&unix.S_IFMT, 0o755)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return attach(tree, fd, attr)
}

// cover mounts a path inside on itself.
func (b builder) cover(target string, attr unix.MountAttr) error {
	fd, err := b.existing(target)
	if errors.Is(err, unix.ENOENT) {
		return nil // It was removed meanwhile. Whatever gets the name is checked when the command has ended.
	}
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	tree, err := unix.OpenTree(fd, "", unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE|unix.AT_EMPTY_PATH)
	if err != nil {
		return err
	}
	defer unix.Close(tree)
	return attach(tree, fd, attr)
}

// coverWithLink mounts a symbolic link inside on a file inside.
func (b builder) coverWithLink(link, target string, attr unix.MountAttr) error {
	fd, err := b.existing(target)
	if errors.Is(err, unix.ENOENT) {
		return nil // as for cover
	}
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	source, err := b.existing(link)
	if err != nil {
		return err
	}
	defer unix.Close(source)
	tree, err := unix.OpenTree(source, "", unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_EMPTY_PATH)
	if err != nil {
		return err
	}
	defer unix.Close(tree)
	return attach(tree, fd, attr)
}

// existing opens a path inside that exists.
func (b builder) existing(path string) (int, error) {
	return unix.Openat2(b.root, strings.Trim(path, "/"), &unix.OpenHow{
		Flags: unix.O_PATH | unix.O_NOFOLLOW | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_BENEATH,
	})
}

// attach puts a mount that is nowhere yet over an open file or directory.
func attach(tree, over int, attr unix.MountAttr) error {
	if err := unix.MountSetattr(tree, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &attr); err != nil {
		return fmt.Errorf("restrict the mount: %w", err)
	}
	return unix.MoveMount(tree, "", over, "", unix.MOVE_MOUNT_F_EMPTY_PATH|unix.MOVE_MOUNT_T_EMPTY_PATH)
}

// mountNew mounts a new file system, with pairs of options.
func (b builder) mountNew(kind, target string, attr int, options ...string) error {
	fs, err := unix.Fsopen(kind, unix.FSOPEN_CLOEXEC)
	if err != nil {
		return err
	}
	defer unix.Close(fs)
	for i := 0; i+1 < len(options); i += 2 {
		if err := unix.FsconfigSetString(fs, options[i], options[i+1]); err != nil {
			return fmt.Errorf("set %s: %w", options[i], err)
		}
	}
	if err := unix.FsconfigCreate(fs); err != nil {
		return err
	}
	tree, err := unix.Fsmount(fs, unix.FSMOUNT_CLOEXEC, attr)
	if err != nil {
		return err
	}
	defer unix.Close(tree)
	fd, err := b.open(target, unix.S_IFDIR, 0o755)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return unix.MoveMount(tree, "", fd, "", unix.MOVE_MOUNT_F_EMPTY_PATH|unix.MOVE_MOUNT_T_EMPTY_PATH)
}

func (b builder) link(text, target string) error {
	dir, err := b.open(filepath.Dir(target)+"/.", unix.S_IFDIR, 0o755)
	if err != nil {
		return err
	}
	defer unix.Close(dir)
	return unix.Symlinkat(text, dir, filepath.Base(target))
}

// proc mounts the processes of this namespace. Root inside has the number of root outside, by which the kernel lets it change its
// settings: they are read-only.
func (b builder) proc(target string) error {
	if err := b.mountNew("proc", target, unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV|unix.MOUNT_ATTR_NOEXEC); err != nil {
		return err
	}
	for _, name := range processSettings() {
		err := b.cover(filepath.Join(target, name), unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY})
		if err != nil && !errors.Is(err, unix.ENOENT) {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// processSettings are the parts of /proc that belong to the machine, not to processes.
func processSettings() []string {
	return []string{"sys", "sysrq-trigger", "irq", "bus", "fs", "acpi", "scsi", "mtrr"}
}

// devices makes the directory of devices.
func (b builder) devices(target string) error {
	const quiet = unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NOEXEC
	if err := b.mountNew("tmpfs", target, quiet, "mode", "0755"); err != nil {
		return err
	}
	for _, name := range []string{"null", "zero", "full", "random", "urandom", "tty"} {
		path := filepath.Join(target, name)
		err := b.bind(filepath.Join(oldRoot, "dev", name), path, unix.MountAttr{Attr_set: quiet})
		if err != nil && !errors.Is(err, unix.ENOENT) {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if err := b.mountNew("devpts", filepath.Join(target, "pts"), quiet, "ptmxmode", "0666", "mode", "0620"); err != nil {
		return fmt.Errorf("pts: %w", err)
	}
	if err := b.mountNew("tmpfs", filepath.Join(target, "shm"), unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV, "mode", "1777"); err != nil {
		return fmt.Errorf("shm: %w", err)
	}
	links := map[string]string{"fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2", "ptmx": "pts/ptmx"}
	for name, text := range links {
		if err := b.link(text, filepath.Join(target, name)); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// loopbackUp starts the interface of a new network namespace.
func loopbackUp() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	request := struct {
		name  [unix.IFNAMSIZ]byte
		flags uint16
		_     [22]byte
	}{flags: unix.IFF_UP | unix.IFF_RUNNING}
	copy(request.name[:], "lo")
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.SIOCSIFFLAGS, uintptr(unsafe.Pointer(&request))); errno != 0 {
		return errno
	}
	return nil
}

// bubblewrapHelper is where this program is inside a sandbox of bubblewrap.
const bubblewrapHelper = "/run/dougu/" + helperName

// bubblewrap are the arguments of bwrap, up to the program that it starts, which is open as programFD.
func (s spec) bubblewrap() []string {
	args := []string{"--unshare-user", "--unshare-pid", "--unshare-ipc", "--as-pid-1", "--cap-drop", "ALL"}
	if s.Network != NetworkOn {
		args = append(args, "--unshare-net")
	}
	for _, m := range s.Mounts {
		switch m.Op {
		case bind:
			args = append(args, "--bind", m.Source, m.Target)
		case bindRead:
			args = append(args, "--ro-bind", m.Source, m.Target)
		case guard, guardOpen:
			args = append(args, "--bind-try", m.Target, m.Target)
		case guardRead:
			args = append(args, "--ro-bind-try", m.Target, m.Target)
		case empty:
			if m.Source != "" {
				args = append(args, "--ro-bind", m.Source, m.Target)
			} else {
				args = append(args, "--tmpfs", m.Target, "--remount-ro", m.Target)
			}
		case tmpfs:
			args = append(args, "--tmpfs", m.Target)
		case directory:
			args = append(args, "--perms", "0700", "--dir", m.Target)
		case link:
			args = append(args, "--symlink", m.Source, m.Target)
		case procfs:
			args = append(args, "--proc", m.Target)
			for _, name := range processSettings() {
				if path := filepath.Join(m.Target, name); exists(path) {
					args = append(args, "--ro-bind", path, path)
				}
			}
		case deviceDir:
			args = append(args, "--dev", m.Target)
		}
	}
	return append(args, "--ro-bind", "/proc/self/fd/"+strconv.Itoa(programFD), bubblewrapHelper, "--remount-ro", "/")
}

// bubblewrapProgram is the program bwrap, or "".
func bubblewrapProgram() string {
	for _, path := range []string{"/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap", "/run/current-system/sw/bin/bwrap"} {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path
		}
	}
	return ""
}
