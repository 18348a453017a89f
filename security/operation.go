package security

import (
	"context"
	"errors"

	"github.com/dougu-go/dougu/security/audit"
)

// operation is a change of the tree in the steps of all changes: decided without an effect, recorded, made, recorded again.
type operation struct {
	name   string
	params any  // for the audit log: as the caller said at first, as it was found to be after begin
	dry    bool // only decide
	idle   bool // begin found that there is nothing to do
	begin  func() error
	commit func() error
}

// perform makes a change. Refusals are recorded too.
func (r *Root) perform(ctx context.Context, d *operation) error {
	r.recoverBatches(ctx)
	err := ended(ctx)
	if err == nil {
		err = d.begin()
	}
	if err != nil {
		err = r.refused(ctx, d.name, err)
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
		return unrecorded(err)
	}
	err = d.commit()
	if e := record.End(err); e != nil {
		r.log.ErrorContext(ctx, "outcome of a change not recorded", "error", e)
	}
	return err
}

// unrecorded is the Error for a change that was not made because it could not be recorded.
func unrecorded(err error) error {
	if failed, ok := errors.AsType[*audit.Error](err); ok {
		return &Error{Code: AuditFailed, Message: failed.Error(), Err: failed.Err}
	}
	return err
}
