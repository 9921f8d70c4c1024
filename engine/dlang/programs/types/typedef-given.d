BEGIN { size_t = 3; }
