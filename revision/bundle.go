package revision

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
)

const (
	manifestFile   = ".manifest"
	signaturesFile = ".signatures.json"
)

// openBundle reads a bundle whole.
func openBundle(ctx context.Context, spec, name string, o Options) (*Revision, error) {
	packed, err := readPacked(name, o.Limits.Total)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrBundle, spec, err)
	}
	if len(packed) < 2 || packed[0] != 0x1f || packed[1] != 0x8b {
		return nil, fmt.Errorf("%w: %s is no directory and no bundle (.tar.gz); write one with: opa build policies", ErrSpec, spec)
	}
	files, err := unpack(ctx, packed, o.Limits)
	if err == nil {
		err = verify(files, o.Verify)
	}
	if err == nil {
		files, err = decided(files)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrBundle, spec, err)
	}
	return &Revision{FS: inMemory(files), Name: spec, Root: spec + ":"}, nil
}

func readPacked(name string, most int64) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	packed, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && int64(len(packed)) > most {
		err = fmt.Errorf("%w: more than %d bytes", ErrLimit, most)
	}
	return packed, err
}

// unpack gives every file of an archive, by its name without the leading slash.
func unpack(ctx context.Context, packed []byte, limits Limits) (map[string][]byte, error) {
	source := bytes.NewReader(packed) // gzip takes no byte of it that is not its own
	zipped, err := gzip.NewReader(source)
	if err != nil {
		return nil, broken(err)
	}
	zipped.Multistream(false) // a second archive behind the first would be one that others see
	stream := &counted{from: zipped, most: min(limits.Total+overhead(limits), max(1<<20, int64(len(packed))*limits.Factor))}
	files, err := untar(ctx, stream, limits)
	if err != nil {
		return nil, err
	}
	if err := onlyZeros(stream); err != nil {
		return nil, err
	}
	if source.Len() > 0 {
		return nil, fmt.Errorf("%d bytes follow the archive", source.Len())
	}
	return files, nil
}

// overhead is what headers and padding may add to the files of an archive.
func overhead(limits Limits) int64 { return int64(limits.Files)*4096 + 1<<16 }

const block = 512 // bytes; a tar is made of these

func untar(ctx context.Context, stream *counted, limits Limits) (map[string][]byte, error) {
	files := map[string][]byte{}
	found := collect(limits)
	archive := tar.NewReader(stream)
	for {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		before := stream.read
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			// Two blocks of zeros end a tar. Without them it was cut, if between two files or behind a long name.
			if padded := (before + block - 1) / block * block; stream.read != padded+2*block || strings.Trim(string(stream.tail), "\x00") != "" {
				return nil, errors.New("the archive is cut off")
			}
			return files, nil
		}
		if err != nil {
			return nil, broken(err)
		}
		name, err := entry(header)
		if err != nil {
			return nil, err
		}
		if header.Typeflag == tar.TypeDir {
			if err := errors.Join(found.folder(name), found.counted()); err != nil {
				return nil, err
			}
			continue
		}
		if err := found.add(name, header.Size); err != nil {
			return nil, err
		}
		if files[name], err = io.ReadAll(archive); err != nil {
			return nil, fmt.Errorf("%q: %w", name, broken(err))
		}
		if int64(len(files[name])) != header.Size {
			return nil, fmt.Errorf("%q has %d bytes, and says %d", name, len(files[name]), header.Size)
		}
	}
}

// entry is the name of a file or folder. Anything else is refused: a link, a device, a sparse file.
func entry(header *tar.Header) (string, error) {
	name := strings.TrimPrefix(header.Name, "/") // opa writes one
	switch header.Typeflag {
	case tar.TypeReg:
		for key := range header.PAXRecords {
			if strings.HasPrefix(key, "GNU.sparse.") {
				return "", fmt.Errorf("%q is a sparse file", header.Name)
			}
		}
		return name, nil
	case tar.TypeDir:
		if name = strings.TrimSuffix(name, "/"); name == "" || name == "." {
			return ".", nil
		}
		return name, wellNamed(name)
	case tar.TypeLink, tar.TypeSymlink:
		return "", fmt.Errorf("%q is a link, to %q", header.Name, header.Linkname)
	}
	return "", fmt.Errorf("%q is no regular file (type %q)", header.Name, string(header.Typeflag))
}

// onlyZeros reads a tar to its end, so that the checksum and the size of what was packed are compared too.
func onlyZeros(stream io.Reader) error {
	rest := make([]byte, 4096)
	for {
		count, err := stream.Read(rest)
		if strings.Trim(string(rest[:count]), "\x00") != "" {
			return errors.New("something follows the end of the archive")
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return broken(err)
		}
	}
}

// broken says in plain words what the readers of archives say.
func broken(err error) error {
	switch {
	case errors.Is(err, ErrLimit):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return errors.New("the archive is cut off")
	case errors.Is(err, gzip.ErrChecksum):
		return errors.New("the archive is damaged: its checksum or its size is not that of what is in it")
	}
	return fmt.Errorf("the archive is damaged: %w", err)
}

// counted is a stream that counts what was read of it, and ends with an error where that is too much.
type counted struct {
	from io.Reader
	read int64
	most int64
	tail []byte // the last two blocks that were read
}

func (c *counted) Read(into []byte) (int, error) {
	if c.read > c.most {
		return 0, fmt.Errorf("%w: it unpacks to more than %d bytes", ErrLimit, c.most)
	}
	count, err := c.from.Read(into[:min(int64(len(into)), c.most+1-c.read)])
	c.read += int64(count)
	c.tail = append(c.tail, into[max(0, count-2*block):count]...)
	c.tail = append(c.tail[:0], c.tail[max(0, len(c.tail)-2*block):]...)
	return count, err
}

// verify holds the files against their signature. With a key nothing goes unsigned, and nothing signed goes without.
func verify(files map[string][]byte, check func(map[string][]byte) error) error {
	_, signed := files[signaturesFile]
	for name := range files {
		if path.Base(name) == signaturesFile && name != signaturesFile {
			return fmt.Errorf("%w: %q: signatures lie at the top of a bundle", ErrSignature, name)
		}
	}
	switch {
	case signed && check == nil:
		return fmt.Errorf("%w: the bundle is signed, and there is no key to verify it; give the key: --verification-key FILE", ErrSignature)
	case check == nil:
		return nil
	case !signed:
		return fmt.Errorf("%w: the bundle is not signed, and a key was given; sign it (opa build --signing-key), or give no key", ErrSignature)
	}
	if err := check(files); err != nil {
		return fmt.Errorf("%w: %w", ErrSignature, err)
	}
	return nil
}
