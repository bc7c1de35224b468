"""Steps whose model, or a part of it, went through `torch.compile`."""
