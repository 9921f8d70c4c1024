BEGIN
{
# 12 "file" 1
	x = 1;
# 8 "marker" 2
	trace(x)
	trace(x);
}
