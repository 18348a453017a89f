package localuser

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"
)

// socket is a row of the kernel's table of TCP sockets.
type socket struct {
	local, remote netip.AddrPort
	uid           int
	orphan        bool // closed by its process: the kernel has forgotten its user
}

// check refuses a connection whose other end belongs to another user.
func check(conn net.Conn) error {
	theirs, ours := address(conn.RemoteAddr()), address(conn.LocalAddr())
	s, err := find(func(s socket) bool { return s.local == theirs && s.remote == ours })
	switch {
	case err != nil:
		return fmt.Errorf("find the user of %s: %w", theirs, err)
	case s.orphan:
		return fmt.Errorf("%s was closed before its user was known", theirs)
	case s.uid != 0 && s.uid != os.Geteuid():
		return fmt.Errorf("%s belongs to the user %d, and this server to the user %d", theirs, s.uid, os.Geteuid())
	}
	return nil
}

// known reports whether the kernel lists the sockets of a listener.
func known(at *net.TCPAddr) bool {
	_, err := find(func(s socket) bool { return s.local == address(at) })
	return err == nil
}

// address normalizes an address: IPv4 in IPv6 is IPv4.
func address(a net.Addr) netip.AddrPort {
	tcp, ok := a.(*net.TCPAddr)
	if !ok {
		return netip.AddrPort{}
	}
	at := tcp.AddrPort()
	return netip.AddrPortFrom(at.Addr().Unmap().WithZone(""), at.Port())
}

var errUnknown = errors.New("the kernel does not list the socket")

// find returns the first socket that matches.
func find(matches func(socket) bool) (socket, error) {
	for _, path := range []string{"/proc/self/net/tcp", "/proc/self/net/tcp6"} {
		s, err := findIn(path, matches)
		if err == nil || !errors.Is(err, errUnknown) && !errors.Is(err, os.ErrNotExist) {
			return s, err
		}
	}
	return socket{}, errUnknown
}

func findIn(path string, matches func(socket) bool) (socket, error) {
	table, err := os.Open(path)
	if err != nil {
		return socket{}, err
	}
	defer table.Close()
	rows := bufio.NewScanner(table)
	rows.Scan() // the heading
	for rows.Scan() {
		if s, ok := parse(rows.Text()); ok && matches(s) {
			return s, nil
		}
	}
	if err := rows.Err(); err != nil {
		return socket{}, err
	}
	return socket{}, errUnknown
}

// parse reads a row, see proc_net_tcp.rst of the Linux kernel.
func parse(row string) (s socket, ok bool) {
	fields := strings.Fields(row)
	if len(fields) < 10 {
		return s, false
	}
	var err error
	if s.local, err = parseAddress(fields[1]); err != nil {
		return s, false
	}
	if s.remote, err = parseAddress(fields[2]); err != nil {
		return s, false
	}
	if s.uid, err = strconv.Atoi(fields[7]); err != nil {
		return s, false
	}
	s.orphan = fields[9] == "0"
	return s, true
}

// parseAddress reads 0100007F:1F90, which is 127.0.0.1:8080: words of 32 bits in the
// order of the machine.
func parseAddress(text string) (netip.AddrPort, error) {
	host, port, _ := strings.Cut(text, ":")
	words, err := hex.DecodeString(host)
	if err != nil || len(words)%4 != 0 {
		return netip.AddrPort{}, fmt.Errorf("the address %q is malformed", text)
	}
	for i := 0; i < len(words); i += 4 {
		binary.BigEndian.PutUint32(words[i:], binary.NativeEndian.Uint32(words[i:]))
	}
	ip, ok := netip.AddrFromSlice(words)
	n, err := strconv.ParseUint(port, 16, 16)
	if !ok || err != nil {
		return netip.AddrPort{}, fmt.Errorf("the address %q is malformed", text)
	}
	return netip.AddrPortFrom(ip.Unmap(), uint16(n)), nil
}
