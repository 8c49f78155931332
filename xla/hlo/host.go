package hlo

// InfeedAttrs: row 85.
type InfeedAttrs struct{ Config string }

// Fields lists the attributes.
func (a *InfeedAttrs) Fields() []Field {
	return []Field{{"infeed_config", "infeed_config", &a.Config, Set}}
}

// OutfeedAttrs has the shape that is sent, with its layout, and a text for the host.
type OutfeedAttrs struct {
	Shape  OptionalShape
	Config string
}

// Fields lists the attributes.
func (a *OutfeedAttrs) Fields() []Field {
	return []Field{{"outfeed_shape", "", &a.Shape, Set}, {"outfeed_config", "outfeed_config", &a.Config, Set}}
}

// ChannelAttrs: send, send-done, recv and recv-done, rows 86 to 89.
type ChannelAttrs struct {
	ChannelID      int64
	IsHostTransfer bool
}

// Fields lists the attributes.
func (a *ChannelAttrs) Fields() []Field {
	return []Field{{"channel_id", "", &a.ChannelID, Set}, {"is_host_transfer", "is_host_transfer", &a.IsHostTransfer, Set}}
}
