package engine

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/bundle"
)

// ErrSignature is a bundle that is not what somebody with the key has signed, or a key that cannot be used.
var ErrSignature = errors.New("not verified")

// BundleKey verifies the signatures that "opa sign" and "opa build --signing-key" make. The zero key verifies nothing.
type BundleKey struct {
	Key       []byte // a public key or certificate as PEM; for HS256 the secret
	ID        string // the name that the signature must give its key by; empty is whatever name it gives
	Algorithm string // RS256, ES256 or HS256; empty is RS256
}

// signatures is the name of what [BundleKey.Verify] holds the other files against.
const signatures = ".signatures.json"

// Verify holds all files of a bundle, by name without a leading slash, against its .signatures.json. The error is an
// [ErrSignature]: there is no signature, it is not of this key, or a file is missing, changed, or not in it.
func (k BundleKey) Verify(files map[string][]byte) error {
	if err := k.verify(files); err != nil {
		return fmt.Errorf("%w: %w", ErrSignature, err)
	}
	return nil
}

func (k BundleKey) verify(files map[string][]byte) error {
	config, err := k.config()
	if err != nil {
		return err
	}
	text, ok := files[signatures]
	if !ok {
		return errors.New("the bundle is not signed")
	}
	var signed bundle.SignaturesConfig
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&signed); err != nil {
		return fmt.Errorf("%s: %w", signatures, err)
	}
	left, err := bundle.VerifyBundleSignature(signed, config)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if name == signatures {
			continue
		}
		if err := bundle.VerifyBundleFile(name, *bytes.NewBuffer(files[name]), left); err != nil {
			return err
		}
	}
	if len(left) > 0 {
		return fmt.Errorf("signed, and not in the bundle: %s", strings.Join(slices.Sorted(maps.Keys(left)), ", "))
	}
	return nil
}

// config is the key as OPA takes it. What OPA would take and nobody can mean is refused.
func (k BundleKey) config() (*bundle.VerificationConfig, error) {
	algorithm := k.Algorithm
	if algorithm == "" {
		algorithm = "RS256"
	}
	isPEM := bytes.Contains(k.Key, []byte("-----BEGIN "))
	switch {
	case len(bytes.TrimSpace(k.Key)) == 0:
		return nil, errors.New("the key is empty")
	case !slices.Contains([]string{"RS256", "ES256", "HS256"}, algorithm):
		return nil, fmt.Errorf("there is no signing algorithm %q; RS256, ES256 or HS256", algorithm)
	case algorithm == "HS256" && isPEM:
		return nil, errors.New("the key is a PEM file, and HS256 takes a secret: whoever has a public key could sign with it")
	case algorithm != "HS256" && !isPEM:
		return nil, fmt.Errorf("%s takes a public key as PEM; of a secret say that the algorithm is HS256", algorithm)
	}
	const whichever = "default" // where OPA is told which key to take, it does not look for a name in the signature
	if k.ID == "" {
		return bundle.NewVerificationConfig(map[string]*bundle.KeyConfig{whichever: {Key: string(k.Key), Algorithm: algorithm}}, whichever, "", nil), nil
	}
	return bundle.NewVerificationConfig(map[string]*bundle.KeyConfig{k.ID: {Key: string(k.Key), Algorithm: algorithm}}, "", "", nil), nil
}
