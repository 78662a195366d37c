"""Pictures: found beside a table or in an archive, decoded by Pillow inside bounds, brought to one size."""
