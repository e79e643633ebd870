package engine_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/policies"
)

// A service follows its policies: a mistake is refused and changes nothing, its correction is taken.
func ExampleWatch() {
	ctx := context.Background()
	folder, err := os.MkdirTemp("", "policies")
	must(err)
	defer func() { _ = os.RemoveAll(folder) }()
	must(os.CopyFS(folder, policies.Files))
	overlay := filepath.Join(filepath.Dir(folder), filepath.Base(folder)+".yaml")
	write := func(text string) { must(os.WriteFile(overlay, []byte(text), 0o600)) }
	write("compaction: {max_retries: 2}\n")
	defer func() { _ = os.Remove(overlay) }()

	reloads := make(chan engine.Reload)
	live, err := engine.Watch(ctx, engine.WatchOptions{
		Directory: folder,
		Overlays:  []string{overlay},
		Timeout:   time.Minute,
		Clock:     func() time.Time { return time.Time{} }, // a service hands in time.Now
		Reloaded:  func(r engine.Reload) { reloads <- r },
	})
	must(err)
	write("compaction: {max_retries: many}\n")
	refused := <-reloads
	fmt.Println("refused:", refused.Err != nil, "same program:", refused.Program == refused.Previous)
	write("compaction: {max_retries: 1}\n")
	taken := <-reloads
	fmt.Println("refused:", taken.Err != nil, "same program:", taken.Program == taken.Previous)
	fmt.Println(live.Status().Err, live.Status().Refused)
	must(live.Close())
	// Output:
	// refused: true same program: true
	// refused: false same program: false
	// <nil> 1
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
