package process

import (
	"context"
	"os"
	"strconv"
	"strings"
)

// Birth returns an identifier of a process that no other process has, even with the same number later. It is constant
// while the process lives. The error is ErrNoProcess if the process has ended.
func Birth(pid int) (string, error) {
	p, ok := readStat(pid)
	if !ok || p.state == 'Z' || p.state == 'X' {
		return "", ErrNoProcess
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", err
	}
	return strings.TrimSpace(string(boot)) + "/" + strconv.FormatUint(p.start, 10), nil
}

// killMarkedOrphans is KillMarked including processes that are older than this program.
func killMarkedOrphans(ctx context.Context, mark string) error {
	ctx, cancel := context.WithTimeout(ctx, killTimeout)
	defer cancel()
	return family{token: mark, old: true}.kill(ctx)
}
