package treesitter

import (
	"errors"
	"runtime"
	"sync"

	"github.com/dougu-go/dougu/internal/group"
)

// keeper holds the compiled grammars and idle instances of all languages. It drops the least
// recently used ones if their memory exceeds the limit.
type keeper struct {
	cacheDir  string
	instances int // the maximum number of instances of a grammar
	limits    limits
	work      group.Group // compilations of grammars

	lock   sync.Mutex // guards the fields below and the state of the engines
	closed bool
	clock  uint64    // counts uses, to find the least recently used engine
	alive  []*engine // engines with compiled code
}

func newKeeper(o Options, l limits) *keeper {
	k := &keeper{cacheDir: o.CacheDir, instances: o.Instances, limits: l}
	if k.instances <= 0 {
		k.instances = runtime.GOMAXPROCS(0)
	}
	return k
}

// take registers the start of a parse; the caller must call give at its end. The instance is nil if
// none is idle. The error is ErrClosed.
func (k *keeper) take(e *engine) (*instance, error) {
	k.lock.Lock()
	defer k.lock.Unlock()
	if k.closed {
		return nil, ErrClosed
	}
	k.clock++
	e.used = k.clock
	e.running++
	last := len(e.idle) - 1
	if last < 0 {
		return nil, nil
	}
	in := e.idle[last]
	e.idle = e.idle[:last]
	return in, nil
}

// give ends the reading of a text, and takes back the instance if it may be used
// again; in may be nil.
func (k *keeper) give(e *engine, in *instance) {
	k.lock.Lock()
	e.running--
	if in != nil && in.size() <= k.limits.keep {
		e.idle = append(e.idle, in)
		in = nil
	}
	drop := k.excess()
	k.lock.Unlock()
	if in != nil {
		in.close()
	}
	for _, one := range drop {
		one()
	}
}

// start runs a compilation in the background, for which close waits. It returns false after close.
func (k *keeper) start(compilation func()) bool {
	k.lock.Lock()
	defer k.lock.Unlock()
	if k.closed {
		return false
	}
	k.work.Go(compilation)
	return true
}

// loaded notes that an engine has code now. After close it closes the code, and the error is ErrClosed.
func (k *keeper) loaded(e *engine, c *code) error {
	k.lock.Lock()
	defer k.lock.Unlock()
	if k.closed && e.running == 0 {
		c.close()
		return ErrClosed
	}
	e.code = c
	k.alive = append(k.alive, e)
	return nil
}

// excess removes the engines and instances above the memory limit, and returns the functions that
// close them.
func (k *keeper) excess() (drop []func()) {
	held := 0
	for _, e := range k.alive {
		held += e.held()
	}
	limit := k.limits.keepAll
	if k.closed {
		limit = -1
	}
	for held > limit {
		at := -1
		for i, e := range k.alive {
			if e.running == 0 && (at < 0 || e.used < k.alive[at].used) {
				at = i
			}
		}
		if at < 0 {
			break
		}
		e := k.alive[at]
		held -= e.held()
		drop = append(drop, e.code.close)
		e.code, e.idle = nil, nil
		k.alive = append(k.alive[:at], k.alive[at+1:]...)
	}
	return drop
}

// held returns the memory of an engine in bytes.
func (e *engine) held() int {
	held := e.code.size
	for _, in := range e.idle {
		held += in.size()
	}
	return held
}

// close drops idle instances and code, and waits for compilations. Instances in use are dropped when they become idle.
func (k *keeper) close() error {
	k.lock.Lock()
	if k.closed {
		k.lock.Unlock()
		return nil
	}
	k.closed = true
	drop := k.excess()
	k.lock.Unlock()
	for _, one := range drop {
		one()
	}
	k.work.Wait()
	return nil
}

// errTrap reports a text that stops the module of a grammar.
var errTrap = errors.New("the grammar failed, as it does where blocks or brackets are nested too deeply: read the file as text")

// trapError is the failure of a module. Its text leaves out the cause, which is the stack of the module.
type trapError struct{ cause error }

func (*trapError) Error() string     { return errTrap.Error() }
func (e *trapError) Unwrap() []error { return []error{errTrap, e.cause} }
