package config

// Notifier is what a test puts in the place of the system.
type Notifier = notifier

// Notify makes a watcher use another notifier.
func (w *Watcher) Notify(open func() (Notifier, error)) { w.notify = open }
