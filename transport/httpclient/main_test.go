package httpclient_test

import (
	"testing"

	"github.com/dougu-go/dougu/internal/testleak"
)

func TestMain(m *testing.M) { testleak.Main(m) }
