package gateway

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/security/oauth"
	"github.com/dougu-go/dougu/tools/internal/trust"
	"github.com/dougu-go/dougu/tools/keyring"
)

// keyName is the name of the key that seals logins.
const keyName = "logins"

// vault finds the place of the logins: encrypted files in the user's state directory, whose key is in the keyring of the system, or
// in a file among the user's settings where there is no keyring.
type vault struct {
	lookup  func(string) (string, bool)
	keyring func() (oauth.Store, error) // nil: there is none
	log     *slog.Logger
}

// systemKeyring is the keyring of the user's system. On Linux one is looked for only in a session that has one to offer: a search
// would start a message bus otherwise.
func systemKeyring() (oauth.Store, error) {
	if runtime.GOOS == "linux" && os.Getenv("DBUS_SESSION_BUS_ADDRESS") == "" {
		return nil, errors.New("the session has no message bus")
	}
	return keyring.Open("dougu-gateway")
}

// open opens the store. A keyring and a key file seal different directories, so that a keyring that is locked today does not cost
// the logins of yesterday.
func (v vault) open(ctx context.Context) (oauth.Store, error) {
	state, ok := security.DefaultStateDir()
	if !ok {
		return nil, errors.New("there is no directory for state; set HOME or XDG_STATE_HOME")
	}
	dir := filepath.Join(filepath.Dir(state), "gateway")
	if v.keyring != nil {
		store, err := v.keyring()
		var key []byte
		if err == nil {
			key, err = oauth.SealingKey(ctx, store, keyName)
		}
		if err == nil {
			return &oauth.Sealed{Dir: filepath.Join(dir, "logins-keyring"), Key: key}, nil
		}
		v.log.Debug("there is no keyring; the key of the logins is in a file", "reason", err)
	}
	file, err := v.keyFile()
	if err != nil {
		return nil, err
	}
	key, err := oauth.SealingKey(ctx, &oauth.File{Path: file}, keyName)
	if err != nil {
		return nil, fmt.Errorf("the key in %s: %w", file, err)
	}
	return &oauth.Sealed{Dir: filepath.Join(dir, "logins"), Key: key}, nil
}

// keyFile is the file with the key where there is no keyring.
func (v vault) keyFile() (string, error) {
	home := trust.ConfigHome(func(name string) string { value, _ := v.lookup(name); return value })
	if home == "" {
		var err error
		if home, err = os.UserConfigDir(); err != nil {
			return "", fmt.Errorf("finding a place for the key of the logins: %w", err)
		}
	}
	return filepath.Join(home, "dougu", "gateway-logins.key"), nil
}
