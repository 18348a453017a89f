package ledger

// Recent is the bounded memory of the ledger by itself.
type Recent struct{ recent[string, string] }

func NewRecent() *Recent { return new(Recent) }

func (r *Recent) Get(key string) (string, bool)   { return r.get(key) }
func (r *Recent) Put(key, value string, most int) { r.put(key, value, most) }
func (r *Recent) Drop(key string)                 { r.drop(key) }
