package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/admitctl/admitctl/engine"
)

// keyFlags say by which key a bundle must be signed; none of them that it must not be.
type keyFlags struct {
	file      string
	id        string
	algorithm string
}

func addKeyFlags(verb *cobra.Command, key *keyFlags) {
	flags := verb.Flags()
	flags.StringVar(&key.file, "verification-key", "", "`FILE` of the key that the bundle must be signed with: a public key (PEM), or the secret of HS256")
	flags.StringVar(&key.id, "verification-key-id", "", "the `NAME` that the signature must give its key")
	flags.StringVar(&key.algorithm, "signing-alg", "RS256", "how the bundle is signed: `ALG` is RS256, ES256 or HS256")
}

// verifier verifies a signature, and is nil where nobody asked for one.
func (k keyFlags) verifier() (func(files map[string][]byte) error, error) {
	if k.file == "" {
		if k.id != "" {
			return nil, errors.New("--verification-key-id: name the key too: --verification-key FILE")
		}
		return nil, nil
	}
	const most = 1 << 20
	text, err := readRegular(k.file, most)
	if err != nil {
		return nil, fmt.Errorf("--verification-key: %w", err)
	}
	return engine.BundleKey{Key: text, ID: k.id, Algorithm: k.algorithm}.Verify, nil
}
