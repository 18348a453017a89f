package process

import (
	"context"
	"os"
	"strconv"
	"strings"
)

// Birth tells a process apart from all others that have, had or will have its
// number: what it answers is the same as long as the process lives.
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

// killOld is KillMarked for those who are older than this program, too.
func killOld(ctx context.Context, mark string) error {
	ctx, cancel := context.WithTimeout(ctx, killPatience)
	defer cancel()
	return family{token: mark, old: true}.kill(ctx)
}
