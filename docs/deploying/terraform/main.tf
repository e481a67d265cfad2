# The taxonomy service out of an unpacked release. CloudFormation expands the template, which is why this needs no Rust and no SAM.

terraform {
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 5.0"
    }
  }
}

variable "release" {
  type        = string
  description = "The folder of the unpacked release"
}

variable "bucket" {
  type        = string
  description = "A bucket in the region of the stack, for the template and the code of the functions"
}

variable "name" {
  type        = string
  default     = "taxonomy"
  description = "The name of the stack: lower case letters, digits and hyphens, at most 20"
  # It is part of the names of buckets, which refuse others after minutes of a deployment.
  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{0,18}[a-z0-9]$", var.name))
    error_message = "The name of the stack is 2 to 20 lower case letters, digits and hyphens, from a letter on."
  }
}

variable "parameters" {
  type        = map(string)
  default     = {}
  description = "Parameters of the template, but for those of the code"
}

variable "former_releases" {
  type        = list(string)
  default     = []
  description = "The folders of the releases before, whose code is kept: CloudFormation goes back to it when an update fails"
}

variable "iam_role_arn" {
  type        = string
  default     = null
  description = "The role that CloudFormation deploys with; by default the rights of whoever runs Terraform"
}

variable "tags" {
  type        = map(string)
  default     = {}
  description = "Tags of the stack, which CloudFormation gives to its resources"
}

locals {
  template = "${var.release}/cloudformation.yaml"
  folders  = [for release in concat([var.release], var.former_releases) : "${release}/functions"]
  # By name: two releases have the same zip where its bytes are the same.
  zips = { for path in flatten([for folder in local.folders : [for zip in fileset(folder, "*.zip") : "${folder}/${zip}"]]) : basename(path) => path... }
}

data "aws_s3_bucket" "code" {
  bucket = var.bucket
}

# The names follow from the bytes, so a changed function is another object under another key.
resource "aws_s3_object" "code" {
  for_each = local.zips
  bucket   = var.bucket
  key      = "taxonomy/${each.key}"
  source   = each.value[0]
}

resource "aws_s3_object" "template" {
  bucket = var.bucket
  key    = "taxonomy/cloudformation-${filesha256(local.template)}.yaml"
  source = local.template
}

resource "aws_cloudformation_stack" "taxonomy" {
  name         = var.name
  template_url = "https://${data.aws_s3_bucket.code.bucket_regional_domain_name}/${aws_s3_object.template.key}"
  capabilities = ["CAPABILITY_IAM", "CAPABILITY_AUTO_EXPAND"]
  parameters   = merge({ CodeBucket = var.bucket }, var.parameters)
  iam_role_arn = var.iam_role_arn
  tags         = var.tags
  depends_on   = [aws_s3_object.code]
}

output "outputs" {
  value       = aws_cloudformation_stack.taxonomy.outputs
  description = "The outputs of the stack: ApiUrl, SourceBucketName and the others"
}
