//! Tests that `template.yaml` and the code agree.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::LazyLock;

use regex_lite::Regex;
use serde_yaml_ng::Value;
use taxonomy_keys::{ItemKey, pattern};
use taxonomy_testkit::iam::Template;
use taxonomy_tests::prelude::*;

fn root() -> String {
    format!("{}/..", env!("CARGO_MANIFEST_DIR"))
}

pub(crate) fn read(path: &str) -> String {
    fs::read_to_string(format!("{}/{path}", root())).unwrap()
}

/// The template, with CloudFormation's short forms (`!Ref X`) as tags. Parsed once, because it takes half a second.
pub(crate) static TAGGED: LazyLock<Value> =
    LazyLock::new(|| serde_yaml_ng::from_str(&read("template.yaml")).unwrap());

/// The policies of the template.
pub(crate) static POLICIES: LazyLock<Template> = LazyLock::new(|| Template::new(&read("template.yaml")));

/// Returns the template with the values of CloudFormation's short forms in their place.
pub(crate) fn template() -> &'static Value {
    static UNTAGGED: LazyLock<Value> = LazyLock::new(|| untagged(TAGGED.clone()));
    fn untagged(value: Value) -> Value {
        match value {
            Value::Tagged(tagged) => untagged(tagged.value),
            Value::Sequence(values) => Value::Sequence(values.into_iter().map(untagged).collect()),
            Value::Mapping(map) => Value::Mapping(
                map.into_iter()
                    .map(|(key, value)| (key, untagged(value)))
                    .collect(),
            ),
            other => other,
        }
    }
    &UNTAGGED
}

/// Returns every resource with its logical id.
pub(crate) fn resources() -> impl Iterator<Item = (&'static str, &'static Value)> {
    let resources = template()["Resources"].as_mapping().unwrap().iter();
    resources.map(|(id, resource)| (id.as_str().unwrap(), resource))
}

/// Returns the resources of a type, each by its logical id and its properties.
pub(crate) fn resources_of(kind: &str) -> impl Iterator<Item = (&'static str, &'static Value)> {
    let of_kind = resources().filter(move |(_, resource)| resource["Type"].as_str() == Some(kind));
    of_kind.map(|(id, resource)| (id, &resource["Properties"]))
}

/// Returns what CloudFormation takes for a parameter: it matches the pattern against the whole value.
pub(crate) fn pattern_of(parameter: &str) -> Regex {
    let pattern = template()["Parameters"][parameter]["AllowedPattern"].as_str();
    Regex::new(&format!("^(?:{})$", pattern.unwrap())).unwrap()
}

/// Reads a value as the template has it.
pub(crate) fn yaml(text: &str) -> Value {
    serde_yaml_ng::from_str(text).unwrap()
}

/// Returns the logical ids of the resources of a type.
pub(crate) fn of_type(kind: &str) -> BTreeSet<String> {
    resources_of(kind).map(|(id, _)| id.to_owned()).collect()
}

pub(crate) fn properties(resource: &str) -> &'static Value {
    &template()["Resources"][resource]["Properties"]
}

pub(crate) fn texts(value: &Value) -> BTreeSet<String> {
    match value {
        Value::String(text) => BTreeSet::from([text.clone()]),
        Value::Sequence(values) => values
            .iter()
            .map(|value| value.as_str().unwrap().to_owned())
            .collect(),
        other => panic!("a text or a list of texts, not {other:?}"),
    }
}

#[test]
fn a_file_is_as_large_as_the_projector_takes() {
    let limit = &template()["Parameters"]["MaxFileBytes"];
    let bytes = |name: &str| limit[name].as_u64().unwrap();
    assert_eq!(bytes("Default"), projector::Config::MAX_FILE_BYTES);
    assert_eq!(bytes("MaxValue"), projector::Config::LARGEST_FILE_BYTES);
}

/// Returns every name in quotes after a call which reads the environment.
fn read_by(source: &str) -> BTreeSet<String> {
    let calls = [
        "required(\"",
        "required_as(\"",
        "optional(\"",
        "parsed(\"",
        "read(\"",
        "present(\"",
        "url(\"",
    ];
    let names = calls
        .iter()
        .flat_map(|call| source.split(call).skip(1))
        .map(|rest| rest.split('"').next().unwrap());
    names.map(str::to_owned).collect()
}

#[test]
fn functions_read_the_variables_that_they_are_given() {
    let template = template();
    let variables = |value: &Value| -> BTreeSet<String> {
        value["Environment"]["Variables"]
            .as_mapping()
            .into_iter()
            .flatten()
            .map(|(name, _)| name.as_str().unwrap().to_owned())
            .collect()
    };
    let global = variables(&template["Globals"]["Function"]);
    let (_, rest) = read("functions/aggregator/src/config.rs")
        .split_once("\"versions\" =>")
        .map(|(before, rest)| (before.to_owned(), rest.to_owned()))
        .unwrap();
    let (versions, caches) = rest.split_once("\"caches\" =>").unwrap();
    for (resource, branch) in [("Aggregator", versions), ("Caches", caches)] {
        let mut read_here = read_by(branch);
        if branch.contains("ValkeyConfig::from_env") {
            read_here.extend(read_by(&read("shared/taxonomy-valkey/src/config.rs")));
        }
        let mut given = variables(properties(resource));
        given.remove("FOLLOWS");
        assert_eq!(given, read_here, "{resource}");
    }
    for (resource, function) in [
        ("Projector", "projector"),
        ("Aggregator", "aggregator"),
        ("Lookup", "lookup"),
        ("PagesFunction", "pages"),
    ] {
        let mut given: BTreeSet<String> = global.union(&variables(properties(resource))).cloned().collect();
        if resource == "Aggregator" {
            // The same program is deployed a second time.
            given.extend(variables(properties("Caches")));
        }
        let config = read(&format!("functions/{function}/src/config.rs"));
        let mut read_here = read_by(&config);
        if config.contains("ValkeyConfig::from_env") {
            read_here.extend(read_by(&read("shared/taxonomy-valkey/src/config.rs")));
        }
        // Every function also sets up its log and finds the emulator; Lambda itself provides the rest.
        read_here.extend(["LOG_LEVEL".to_owned(), "AWS_ENDPOINT_URL".to_owned()]);
        read_here.retain(|name| !name.starts_with("AWS_LAMBDA_"));
        // That of the projector's allocator.
        given.remove("MALLOC_TRIM_THRESHOLD_");
        assert_eq!(given, read_here, "{function}");
    }
    let plumbing = read_by(
        &(read("shared/taxonomy-runtime/src/aws.rs") + &read("shared/taxonomy-runtime/src/telemetry.rs")),
    );
    assert!(
        plumbing.contains("LOG_LEVEL") && plumbing.contains("AWS_ENDPOINT_URL"),
        "{plumbing:?}"
    );
}

/// The console shows the groups, and `sam deploy --guided` asks in the order of the file: both begin with what most people need.
#[test]
fn each_parameter_is_in_one_group_in_the_order_of_the_file_and_has_a_default() {
    let template = template();
    let groups = &template["Metadata"]["AWS::CloudFormation::Interface"]["ParameterGroups"];
    let grouped: Vec<&str> = groups
        .as_sequence()
        .unwrap()
        .iter()
        .flat_map(|group| group["Parameters"].as_sequence().unwrap())
        .map(|name| name.as_str().unwrap())
        .collect();
    let parameters = template["Parameters"].as_mapping().unwrap();
    let declared: Vec<&str> = parameters.keys().map(|name| name.as_str().unwrap()).collect();
    assert_eq!(grouped, declared);
    for (name, parameter) in parameters {
        assert!(!parameter["Default"].is_null(), "{name:?}");
    }
}

/// What the stack stores is encrypted by the key of its parameter, and every role that stores or reads may use it.
#[test]
fn a_key_of_the_account_encrypts_everything_that_is_stored() {
    let template = template();
    let uses = |id: &str, property: &str| {
        let value = serde_yaml_ng::to_string(&properties(id)[property]).unwrap();
        assert!(
            value.contains("HasKey") && value.contains("Key"),
            "{id} {property}: {value}"
        );
    };
    let mut seen = BTreeSet::new();
    for (id, resource) in resources() {
        let kind = resource["Type"].as_str().unwrap();
        let property = match kind {
            "AWS::DynamoDB::Table" => "SSESpecification",
            "AWS::S3::Bucket" => "BucketEncryption",
            "AWS::SQS::Queue" | "AWS::SNS::Topic" => "KmsMasterKeyId",
            "AWS::Logs::LogGroup" => "KmsKeyId",
            "AWS::IAM::Role" => "ManagedPolicyArns",
            _ => continue,
        };
        uses(id, property);
        seen.insert(kind);
    }
    assert_eq!(seen.len(), 6, "{seen:?}");
    let functions = serde_yaml_ng::to_string(&template["Globals"]["Function"]["KmsKeyArn"]).unwrap();
    assert!(functions.contains("HasKey"), "{functions}");
}

/// Buckets, dashboards, roles and policies of all regions share one list of names, so that stacks of one name in two regions need two names.
#[test]
fn a_name_that_regions_share_has_the_region() {
    let shared = [
        ("AWS::CloudWatch::Dashboard", "DashboardName"),
        ("AWS::IAM::ManagedPolicy", "ManagedPolicyName"),
        ("AWS::IAM::Role", "RoleName"),
        ("AWS::S3::Bucket", "BucketName"),
    ];
    let mut named = 0;
    for (kind, property) in shared {
        for (id, properties) in resources_of(kind).filter(|(_, properties)| !properties[property].is_null()) {
            let name = properties[property].as_str().unwrap();
            assert!(name.contains("${AWS::Region}"), "{id}: {name}");
            named += 1;
        }
    }
    assert_eq!(named, 4);
}

#[test]
fn the_table_has_the_keys_that_the_code_writes() {
    let table = properties("Table");
    let schema = |value: &Value| {
        let key = |part: &Value| {
            (
                part["AttributeName"].as_str().unwrap().to_owned(),
                part["KeyType"].as_str().unwrap().to_owned(),
            )
        };
        value["KeySchema"]
            .as_sequence()
            .unwrap()
            .iter()
            .map(key)
            .collect::<Vec<_>>()
    };
    let pair = |hash: &str, range: &str| {
        vec![
            (hash.to_owned(), "HASH".to_owned()),
            (range.to_owned(), "RANGE".to_owned()),
        ]
    };
    assert_eq!(schema(table), pair("PK", "SK"));
    let index = &table["GlobalSecondaryIndexes"][0];
    assert_eq!(
        (index["IndexName"].as_str(), schema(index)),
        (Some("GSI1"), pair("GSI1PK", "GSI1SK"))
    );
    assert_eq!(index["Projection"]["ProjectionType"].as_str(), Some("INCLUDE"));
    assert_eq!(
        table["StreamSpecification"]["StreamViewType"].as_str(),
        Some("NEW_AND_OLD_IMAGES")
    );
    assert_eq!(
        table["TimeToLiveSpecification"]["AttributeName"].as_str(),
        Some("ExpiresAt")
    );
}

/// An index with less capacity than its table holds up the writes of both.
#[test]
fn the_index_has_the_capacity_of_the_table() {
    let template = template();
    let table = properties("Table");
    assert_eq!(
        table["BillingMode"],
        yaml("[IsProvisioned, PROVISIONED, PAY_PER_REQUEST]")
    );
    for setting in ["ProvisionedThroughput", "OnDemandThroughput"] {
        assert!(table[setting].is_sequence(), "{setting}");
        assert_eq!(
            table[setting], table["GlobalSecondaryIndexes"][0][setting],
            "{setting}"
        );
    }
    let targets: BTreeMap<String, (String, String)> =
        ["TableReads", "TableWrites", "IndexReads", "IndexWrites"]
            .iter()
            .map(|name| {
                let target = &template["Resources"][*name];
                assert_eq!(target["Condition"].as_str(), Some("IsProvisioned"), "{name}");
                let policy = &template["Resources"][format!("{name}Policy").as_str()];
                assert_eq!(policy["Properties"]["ScalingTargetId"].as_str(), Some(*name));
                let target = &target["Properties"];
                let unit = if name.ends_with("Reads") { "Read" } else { "Write" };
                let text = |name: &str| target[name].as_str().unwrap().to_owned();
                assert_eq!(text("MinCapacity"), format!("TableMin{unit}Units"), "{name}");
                assert_eq!(text("MaxCapacity"), format!("TableMax{unit}Units"), "{name}");
                (text("ScalableDimension"), (text("ResourceId"), unit.to_owned()))
            })
            .collect();
    let expect = [
        ("table", "table/${TableInUse.Value}"),
        ("index", "table/${TableInUse.Value}/index/GSI1"),
    ]
    .iter()
    .flat_map(|(dimension, resource)| {
        ["Read", "Write"].map(|unit| {
            let dimension = format!("dynamodb:{dimension}:{unit}CapacityUnits");
            (dimension, ((*resource).to_owned(), unit.to_owned()))
        })
    })
    .collect();
    assert_eq!(targets, expect);
}

/// A resource that named the stack's own table would keep using it after a restored table has taken its place.
#[test]
fn everything_uses_the_table_by_the_three_names_of_the_one_in_use() {
    let text = read("template.yaml");
    let (_, behind) = text.split_once("\n  TableStreamInUse:\n").unwrap();
    let (before, _) = text.split_once("\n  TableInUse:\n").unwrap();
    for (name, part) in [("before", before), ("behind", behind)] {
        for own in [
            "!Ref Table\n",
            "!Ref Table ",
            "!GetAtt Table.",
            "${Table}",
            "${Table.",
        ] {
            let allowed = name == "behind" && own == "!GetAtt Table.";
            // The last of the three names chooses between both streams itself.
            assert_eq!(
                part.matches(own).count(),
                usize::from(allowed),
                "{own} {name} the names"
            );
        }
    }
    let template = template();
    assert_eq!(
        template["Conditions"]["HasRestoredTable"],
        yaml("[[RestoredTable, '']]")
    );
    for (name, restored, own) in [
        ("TableInUse", "RestoredTable", "Table"),
        (
            "TableArnInUse",
            "arn:${AWS::Partition}:dynamodb:${AWS::Region}:${AWS::AccountId}:table/${RestoredTable}",
            "Table.Arn",
        ),
        ("TableStreamInUse", "RestoredTableStreamArn", "Table.StreamArn"),
    ] {
        let value = properties(name)["Value"].clone();
        assert_eq!(
            texts(&Value::Sequence(vec![value[0].clone()])),
            BTreeSet::from(["HasRestoredTable".to_owned()]),
            "{name}"
        );
        assert_eq!(
            (value[1].as_str(), value[2].as_str()),
            (Some(restored), Some(own)),
            "{name}"
        );
        assert!(
            text.matches(&format!("{name}.Value")).count() > 1,
            "{name} is used"
        );
    }
}

#[test]
fn the_stream_passes_heads_and_nothing_else() {
    let mut mappings = resources_of("AWS::Lambda::EventSourceMapping").map(|(_, mapping)| mapping);
    let mapping = mappings
        .find(|mapping| !mapping["FilterCriteria"].is_null())
        .unwrap();
    let filters = mapping["FilterCriteria"]["Filters"].as_sequence().unwrap();
    assert_eq!(filters.len(), 1, "filters are alternatives");
    let filter: serde_json::Value = serde_json::from_str(filters[0]["Pattern"].as_str().unwrap()).unwrap();
    let keys = &filter["dynamodb"]["Keys"];
    let head = pattern::head(&TENANT.parse().unwrap());
    assert!(
        head.pk
            .starts_with(keys["PK"]["S"][0]["prefix"].as_str().unwrap())
    );
    assert_eq!(keys["SK"]["S"], json!([head.sk]));
    let own = ItemKey::TenantStats {
        tenant: TENANT.parse().unwrap(),
    }
    .key();
    assert!(
        !own.pk.starts_with(keys["PK"]["S"][0]["prefix"].as_str().unwrap()),
        "own writes stay outside"
    );
    assert_eq!(
        texts(&mapping["FunctionResponseTypes"]),
        BTreeSet::from(["ReportBatchItemFailures".to_owned()])
    );
    assert_eq!(mapping["StartingPosition"].as_str(), Some("TRIM_HORIZON"));
    assert_eq!(mapping["BisectBatchOnFunctionError"].as_bool(), Some(true));
    // Bounded by age.
    assert!(mapping["MaximumRecordAgeInSeconds"].as_i64().unwrap() > 0);
}

pub(crate) fn event(name: &str) -> serde_json::Value {
    serde_json::from_str(&read(&format!("events/projector/{name}.json"))).unwrap()
}

/// The template's inputs are the sample events, and the projector handles each.
#[tokio::test]
async fn the_schedules_ask_for_sweeps_that_the_projector_knows() {
    let template = template();
    let inputs: BTreeMap<String, serde_json::Value> = resources_of("AWS::Events::Rule")
        .flat_map(|(_, rule)| {
            let every = rule["ScheduleExpression"].as_str().unwrap();
            let parameter = template["Parameters"][every]["Default"].as_str();
            let every = parameter.unwrap_or(every).to_owned();
            let targets = rule["Targets"].as_sequence().unwrap().clone();
            targets.into_iter().map(move |target| {
                let input = target["Input"].as_str().unwrap();
                (every.clone(), serde_json::from_str(input).unwrap())
            })
        })
        .collect();
    let expect = [
        ("rate(5 minutes)".to_owned(), event("scheduled")),
        ("rate(1 day)".to_owned(), event("scheduled-sources")),
        ("rate(7 days)".to_owned(), event("scheduled-audit")),
    ];
    assert_eq!(inputs, expect.into());

    let world = World::new();
    let told_of_nobody = world.upload(TENANT, &small(&[(1, "IT")]));
    drop(told_of_nobody);
    world.deliver(inputs["rate(5 minutes)"].clone()).await.unwrap();
    assert_eq!(world.head(TENANT).await.committed, None, "no tenant is behind");
    world.deliver(inputs["rate(1 day)"].clone()).await.unwrap();
    assert!(world.committed(TENANT).await.is_settled());
}

/// The module `alarms` checks that each alarm can fire and none is missing.
#[test]
fn alarms_watch_metrics_that_the_code_publishes() {
    let alarms = resources_of("AWS::CloudWatch::Alarm").map(|(_, alarm)| alarm);
    let own = alarms.filter(|alarm| alarm["Namespace"].as_str() == Some("Taxonomy"));
    let names = own.map(|alarm| alarm["MetricName"].as_str().unwrap().to_owned());
    let watched: BTreeSet<String> = names.collect();
    let published: BTreeSet<String> = Metric::ALL.map(Metric::name).into();
    assert!(watched.is_subset(&published), "{watched:?}");
}

#[test]
fn what_the_chain_is_made_of_is_written_once() {
    let policy = properties("ChangesetsBucketPolicy");
    let statements = policy["PolicyDocument"]["Statement"].as_sequence().unwrap();
    let once = statements
        .iter()
        .find(|statement| statement["Sid"].as_str() == Some("BodiesAreWrittenOnce"))
        .unwrap();
    assert_eq!(once["Effect"].as_str(), Some("Deny"));
    let bucket = "${ChangesetsBucket.Arn}";
    let expect = ["snapshots/*", "changesets/*", "indexes/*", "downloads/*"]
        .map(|prefix| format!("{bucket}/{prefix}"));
    assert_eq!(texts(&once["Resource"]), expect.into());
}
