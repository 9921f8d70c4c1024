#line 40 "a.h"
BEGIN { @x = count(); }
#line 70 "b.h"
BEGIN { @x = sum(1); }
