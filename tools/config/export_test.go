package config

// Notifier replaces the notifications of the system in tests.
type Notifier = notifier

// Notify makes a watcher use another notifier.
func (w *Watcher) Notify(open func() (Notifier, error)) { w.notify = open }
