package oauth

import (
	"context"
	"sync"

	"github.com/dougu-go/dougu/internal/lru"
)

// Store keeps tokens and registrations. What it is given is secret. Keys are printable and name what the value is for: the
// resource of a token, the issuer of a registration; the value says in turn which issuer and client it belongs to, and is not used
// with another. A Store may be used by several goroutines.
type Store interface {
	// Load returns what was saved, and nil if there is nothing.
	Load(ctx context.Context, key string) ([]byte, error)
	Save(ctx context.Context, key string, value []byte) error
	// Delete forgets a key, which need not be there.
	Delete(ctx context.Context, key string) error
}

// Locker is a Store that several processes share. While one holds the lock of a key, it gets a token for it and the others wait, so
// that no refresh token is used twice.
type Locker interface {
	Lock(ctx context.Context, key string) (unlock func(), err error)
}

const (
	memoryEntries = 4096
	memorySize    = 16 << 20
)

// Memory is a Store that ends with the process. The zero value is ready to use; it keeps 4096 values and 16 MiB at most. It must
// not be copied after the first use.
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
