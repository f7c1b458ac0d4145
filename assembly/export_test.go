package assembly

// What the examples show.
var (
	OverlayFor = overlayFor
	Estimate   = estimate
)
