// Package tools is the one door to the world. Every effect of the agent, whoever
// started it, passes Registry.Call: the tool is found, its arguments are repaired
// and checked against its schema, it plans, policy decides, a person is asked
// where policy says so, the decision is put on record, and only then the tool
// acts.
//
// It owns the registry, the tools themselves (one file each), the rooted file
// access that they share, the look-ups that policy needs, and the shaping of
// output: cutting, cleaning, masking.
//
// It refuses to judge: what is allowed is package policy's word alone. It holds no
// prompt text besides names, descriptions and guides, and knows nothing of models,
// turns or terminals.
//
// Invariants:
//   - Nothing acts before the record of its decision is kept.
//   - Each call has exactly one Result; an error means that the context is dead or
//     the audit can't be kept.
//   - Plan has no effect. Do runs at most once.
//   - What policy judged is what is acted on: files through the descriptor that the
//     path facts were taken from, programs by their resolved path.
//   - No secret value leaves in a result, an update or a record.
package tools
