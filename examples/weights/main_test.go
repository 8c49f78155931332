package main

func Example_main() {
	main()
	// Output:
	// (x f32[3]) -> (result0 f32[2])
	// [-3.5 -4.5]
}
