package testfault_test

import (
	"testing"

	"github.com/dougu-go/dougu/internal/testfault"
)

func TestFault(t *testing.T) { t.Errorf("the fault is %s", testfault.Selected(t)) }

func TestExpect(t *testing.T) { testfault.Expect(t, "a crack", "^TestFault$", "the fault is a crack") }
