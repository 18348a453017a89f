package security

import (
	"context"
	"errors"

	"github.com/dougu-go/dougu/security/audit"
)

// operation is a change of the tree: begin decides without an effect, the audit log records it, commit makes it, and
// the audit log records the outcome.
type operation struct {
	name string
	// params are the parameters for the audit log: the caller's at first, the resolved ones after begin.
	params any
	dry    bool // do not commit
	idle   bool // set by begin if there is nothing to change
	begin  func() error
	commit func() error
}

// perform runs an operation. Refusals are recorded in the audit log, too.
func (r *Root) perform(ctx context.Context, d *operation) error {
	r.recoverBatches(ctx)
	err := contextError(ctx)
	if err == nil {
		err = d.begin()
	}
	if err != nil {
		err = r.logRefusal(ctx, d.name, err)
		if e := r.audit.Record(ctx, audit.Entry{Operation: "fs." + d.name, Params: d.params}, 0, err); e != nil {
			r.log.ErrorContext(ctx, "refusal of a change not recorded", "error", e)
		}
		return err
	}
	if d.dry || d.idle {
		return nil
	}
	record, err := r.audit.Begin(ctx, audit.Entry{Operation: "fs." + d.name, Params: d.params})
	if err != nil {
		return auditError(err)
	}
	err = d.commit()
	if e := record.End(err); e != nil {
		r.log.ErrorContext(ctx, "outcome of a change not recorded", "error", e)
	}
	return err
}

// auditError returns the Error for a change that was not made because the audit log could not record it.
func auditError(err error) error {
	if failed, ok := errors.AsType[*audit.Error](err); ok {
		return &Error{Code: AuditFailed, Message: failed.Error(), Err: failed.Err}
	}
	return err
}
