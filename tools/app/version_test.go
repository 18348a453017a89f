package app

import "testing"

func TestVersion(t *testing.T) {
	for module, want := range map[string]string{
		"v1.2.3": "1.2.3", "v1.2.3-rc.1": "1.2.3-rc.1", "(devel)": nextVersion, "": nextVersion,
		"v0.0.0-20261122101010-0123456789ab": nextVersion, "v1.2.3+dirty": nextVersion, "v1.2.4-0.20261122101010-0123456789ab": nextVersion,
	} {
		if got := moduleVersion(module); got != want {
			t.Errorf("%s: %s, want %s", module, got, want)
		}
	}
	if Version() == "" {
		t.Error("it has no version")
	}
	defer func() { release = "" }()
	if release = "4.5.6"; Version() != "4.5.6" {
		t.Errorf("the release is %s", Version())
	}
}
