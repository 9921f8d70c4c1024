BEGIN
{
	s["a"] = "x"; copyinto(0, 2, s["a"]);
}
