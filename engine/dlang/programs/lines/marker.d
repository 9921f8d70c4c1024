# 1 "own.h"
int x;
# 1 "other.h" 1
int y;
# 3 "own.h" 2
BEGIN { trace(x); }
BEGIN { trace(nosuch); }
# 90 "last.h" 3 4
BEGIN { trace(x); }
