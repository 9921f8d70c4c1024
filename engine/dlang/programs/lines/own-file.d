# 1 "other.h" 1
int y;
# 30 "lines/own-file.d" 2
BEGIN { trace(nosuch); }
