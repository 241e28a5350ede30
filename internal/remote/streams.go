package remote

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Names in the message server. Several drivers may share one: work is one
// queue for each state of the code, so that a worker of another gets none, and
// results go to a subject of the driver's own.
const (
	workStream     = "SCHEDTUNE_WORK"
	workPrefix     = "schedtune.work." // and the identity of the code
	workConsumer   = "workers-"        // likewise
	resultStream   = "SCHEDTUNE_RESULTS"
	resultPrefix   = "schedtune.result."
	resultConsumer = "driver-" // and the driver's id
	packageBucket  = "schedtune-studies"
	aliveSubject   = "schedtune.alive"
	noticePrefix   = "schedtune.notice."
)

// Timing are the delays of the transport. The zero value reads as Defaults.
type Timing struct {
	AckWait    time.Duration // without an acknowledgement for that long, a chunk goes to another worker
	ItemLimit  time.Duration // one run may take that long before its worker counts as hanging
	MaxDeliver int           // deliveries of a chunk before the driver does its runs itself
	Target     time.Duration // work in a chunk
}

func (t Timing) withDefaults() Timing {
	return Timing{cmp.Or(t.AckWait, 30*time.Second), cmp.Or(t.ItemLimit, 10*time.Minute), cmp.Or(t.MaxDeliver, 20),
		cmp.Or(t.Target, 500*time.Millisecond)}
}

// setUp makes the streams, the workers' consumer and the package store; it
// changes nothing that is there already in the same form.
func setUp(ctx context.Context, js jetstream.JetStream, code string, t Timing) error {
	if _, err := js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: workStream, Subjects: []string{workPrefix + ">"}, Retention: jetstream.WorkQueuePolicy,
		Storage: jetstream.FileStorage, Duplicates: 10 * time.Minute, MaxAge: 7 * 24 * time.Hour,
	}); err != nil {
		return fmt.Errorf("stream %s: %w", workStream, err)
	}
	if _, err := js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: resultStream, Subjects: []string{resultPrefix + ">"}, Retention: jetstream.InterestPolicy,
		Storage: jetstream.FileStorage, Duplicates: 10 * time.Minute, MaxAge: 24 * time.Hour,
	}); err != nil {
		return fmt.Errorf("stream %s: %w", resultStream, err)
	}
	if _, err := js.CreateOrUpdateConsumer(ctx, workStream, jetstream.ConsumerConfig{
		Durable: workConsumer + code, FilterSubject: workPrefix + code, InactiveThreshold: 7 * 24 * time.Hour,
		AckPolicy: jetstream.AckExplicitPolicy, AckWait: t.AckWait, MaxDeliver: t.MaxDeliver, MaxAckPending: 100_000,
	}); err != nil {
		return fmt.Errorf("consumer %s: %w", workConsumer, err)
	}
	_, err := js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: packageBucket,
		Storage: jetstream.FileStorage})
	if err != nil {
		return fmt.Errorf("object store %s: %w", packageBucket, err)
	}
	return nil
}

// putPackage stores a study's package under its hash, once.
func putPackage(ctx context.Context, js jetstream.JetStream, hash string, data []byte) error {
	store, err := js.ObjectStore(ctx, packageBucket)
	if err != nil {
		return err
	}
	if _, err := store.GetInfo(ctx, hash); err == nil {
		return nil
	} else if !errors.Is(err, jetstream.ErrObjectNotFound) {
		return err
	}
	_, err = store.Put(ctx, jetstream.ObjectMeta{Name: hash}, bytes.NewReader(data))
	return err
}

// getPackage fetches a package and checks it against its hash.
func getPackage(ctx context.Context, js jetstream.JetStream, hash string) ([]byte, error) {
	store, err := js.ObjectStore(ctx, packageBucket)
	if err != nil {
		return nil, err
	}
	obj, err := store.Get(ctx, hash)
	if err != nil {
		return nil, fmt.Errorf("study %s: %w", clip(hash), err)
	}
	defer obj.Close()
	data, err := io.ReadAll(io.LimitReader(obj, maxPackage))
	if err != nil {
		return nil, fmt.Errorf("study %s: %w", clip(hash), err)
	}
	if got := Hash(data); got != hash {
		return nil, fmt.Errorf("study %s: the package received has the hash %s", clip(hash), clip(got))
	}
	return data, nil
}

// publish sends with a message id until the server has it: a server that is being restarted is
// waited for. lost is called where the server has no queue for the message: it came back without
// its store.
func publish(ctx context.Context, js jetstream.JetStream, subject, id string, data []byte, lost func() error) error {
	for {
		// An attempt of its own deadline: a message lost in a restart is never
		// acknowledged.
		attempt, cancel := context.WithTimeout(ctx, 3*time.Second)
		_, err := js.Publish(attempt, subject, data, jetstream.WithMsgID(id))
		cancel()
		if err == nil || ctx.Err() != nil || errors.Is(err, nats.ErrMaxPayload) {
			return err
		}
		if errors.Is(err, jetstream.ErrNoStreamResponse) && lost != nil {
			if err := lost(); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
	}
}
