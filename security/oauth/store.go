package oauth

import (
	"context"
	"sync"

	"github.com/dougu-go/dougu/internal/lru"
)

// Store keeps tokens and registrations. Values are secret. Keys are printable and name the resource
// of a token or the issuer of a registration. Each value repeats its issuer and client and is not
// used for others. Implementations must be safe for concurrent use.
type Store interface {
	// Load returns the value of key, or nil without an error if there is none.
	// Save replaces the value of key.
	Load(ctx context.Context, key string) ([]byte, error)
	Save(ctx context.Context, key string, value []byte) error
	// Delete removes key. A missing key is not an error.
	Delete(ctx context.Context, key string) error
}

// Locker is a Store that several processes share. A process holds the lock of a key while it
// obtains a token, so that no refresh token is used twice.
type Locker interface {
	// Lock waits until the lock of key is free or ctx ends. The caller releases it with unlock.
	Lock(ctx context.Context, key string) (unlock func(), err error)
}

const (
	memoryEntries = 4096
	memorySize    = 16 << 20
)

// Memory is a Store in memory. The zero value is ready to use. It keeps at most 4096 values and 16
// MiB, and removes the least recently used first. It is safe for concurrent use and must not be
// copied after the first use.
type Memory struct {
	mu      sync.Mutex
	entries lru.Cache[string, []byte]
}

// Load implements Store.
func (m *Memory) Load(_ context.Context, key string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	value, _ := m.entries.Get(key)
	return value, nil
}

// Save implements Store.
func (m *Memory) Save(_ context.Context, key string, value []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.entries.MaxEntries, m.entries.MaxSize = memoryEntries, memorySize
	m.entries.Put(key, append([]byte(nil), value...), len(key)+len(value))
	return nil
}

// Delete implements Store.
func (m *Memory) Delete(_ context.Context, key string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.entries.Delete(key)
	return nil
}
